// SPDX-License-Identifier: Apache-2.0
// Rules of scheduling.k8s.io for pods that are scheduled together.
#pragma once

#include <vector>

#include "api/feature_gates.h"
#include "api/scheduling_v1beta1.h"
#include "base/result.h"

namespace dray::api::validation::inline workloads {

/// Claims of a pod group, or of a template of one.
inline constexpr size_t kGroupClaimsMax = 4;
/// Templates of a workload.
inline constexpr size_t kGroupTemplatesMax = 8;
/// Largest priority of a group that its user chooses.
inline constexpr int32_t kGroupPriorityMax = 1'000'000'000;

/// Validates `group`, which replaces `old` (null for a new group). O(size).
std::vector<ErrorCause> ValidatePodGroup(const scheduling_v1beta1::PodGroup& group,
                                         const scheduling_v1beta1::PodGroup* old,
                                         const Profile& profile);
/// The same of a new status.
std::vector<ErrorCause> ValidatePodGroupStatus(const scheduling_v1beta1::PodGroup& group,
                                               const Profile& profile);
std::vector<ErrorCause> ValidateWorkload(const scheduling_v1beta1::Workload& workload,
                                         const scheduling_v1beta1::Workload* old,
                                         const Profile& profile);

}  // namespace dray::api::validation::inline workloads
