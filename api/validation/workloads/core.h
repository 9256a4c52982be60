// SPDX-License-Identifier: Apache-2.0
// Rules for the kinds of core/v1 that dynamic resource allocation needs: the rules that a
// scheduler, a kubelet or a controller relies on, not all of upstream's. Rules for ObjectMeta are
// elsewhere.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/validation/field_error.h"

namespace dray::api::validation::inline workloads {

std::vector<ErrorCause> ValidatePod(const core_v1::Pod& pod, const Profile& profile = {});
/// Only some fields of a pod may change: images, the deadline, tolerations (more of them),
/// scheduling gates (fewer), and those that a gated pod may still change.
std::vector<ErrorCause> ValidatePodUpdate(const core_v1::Pod& pod,
                                          const core_v1::Pod& old,
                                          const Profile& profile = {});
std::vector<ErrorCause> ValidatePodStatusUpdate(const core_v1::Pod& pod,
                                                const core_v1::Pod& old,
                                                const Profile& profile = {});

/// `old` is null for a new node.
std::vector<ErrorCause> ValidateNode(const core_v1::Node& node,
                                     const core_v1::Node* old,
                                     const Profile& profile = {});

/// Whether a finalizer's name has a domain or is one of the few that need none; and the error if
/// not.
bool IsFinalizerName(std::string_view name);
inline constexpr std::string_view kNoFinalizerName =
    "name is neither a standard finalizer name nor is it fully qualified";

/// Finalizers in metadata have such names.
std::vector<ErrorCause> CheckFinalizerNames(const meta_v1::ObjectMeta& meta);

}  // namespace dray::api::validation::inline workloads
