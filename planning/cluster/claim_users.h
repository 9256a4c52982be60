// SPDX-License-Identifier: Apache-2.0
// The limit of pods that may use one claim.
#pragma once

#include <span>
#include <string>

#include "api/core_v1/pod.h"
#include "api/object.h"

namespace dray::planning::inline cluster {

/// Why the pod cannot use one of its claims: it is reserved for the most consumers that a claim may
/// have, and the API server would reject another. Empty: the pod can use, or uses, all of them.
std::string WhyNoMoreUsers(std::span<const api::Object> claims, const api::core_v1::Pod& pod);

}  // namespace dray::planning::inline cluster
