// SPDX-License-Identifier: Apache-2.0
// Rules for Events, of both groups that serve them.
#pragma once

#include <cstddef>
#include <vector>

#include "api/core_v1/event.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"

namespace dray::api::validation {

/// Most bytes of an event's message, and of its reason, action and reporting instance.
inline constexpr size_t kEventMessageMax = 1024;
inline constexpr size_t kEventWordMax = 128;

/// An event lies where its object does; those about cluster-scoped objects lie in "default", and
/// in "kube-system" too if they have an eventTime. An event with an eventTime says who reports
/// what. Writes through events.k8s.io/v1 must have one, and change nothing but the series.
/// `old` null: the event is new.
std::vector<ErrorCause> ValidateEvent(const core_v1::Event& event,
                                      const core_v1::Event* old,
                                      const Options& options);

}  // namespace dray::api::validation
