// SPDX-License-Identifier: Apache-2.0
// How many pods may use one claim.
#pragma once

#include <span>
#include <string>

#include "api/core_v1/pod.h"
#include "api/object.h"

namespace dray::planning::inline cluster {

/// Why the pod cannot use one of its claims: it is reserved for as many consumers as a claim may
/// have. Empty: it can, or uses them already. The API server would refuse the reservation.
std::string WhyNoMoreUsers(std::span<const api::Object> claims, const api::core_v1::Pod& pod);

}  // namespace dray::planning::inline cluster
