// SPDX-License-Identifier: Apache-2.0
// Rules for Events, of both groups that serve them.
#pragma once

#include <cstddef>
#include <vector>

#include "api/core_v1/event.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline cluster {

/// Most bytes of an event's message, and of its reason, action and reporting instance.
inline constexpr size_t kEventMessageMax = 1024;
inline constexpr size_t kEventWordMax = 128;

/// An event is in the namespace of its object. Events about cluster-scoped objects are in
/// "default", and may be in "kube-system" if they have an eventTime. An event with an eventTime
/// must name its reporter. Writes through events.k8s.io/v1 must have an eventTime, and may change
/// only the series. `old` is null for a new event.
std::vector<ErrorCause> ValidateEvent(const core_v1::Event& event,
                                      const core_v1::Event* old,
                                      const Options& options);

}  // namespace dray::api::validation::inline cluster
