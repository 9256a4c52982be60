// SPDX-License-Identifier: Apache-2.0
// Pods that are equal for the scheduler, such as pods of a Job, each with a claim of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/object.h"

namespace dray::planning::inline cluster {

/// A key that two pods share only if the scheduler decides alike about them while nothing is placed
/// in between. It holds the whole pod except its name, its history, and what only its containers
/// see; for claims with devices their identity, for other claims their requests. `claims` are those
/// of ResolveClaims. Empty: the pod is like no other. O(size of pod and claims).
std::string LikenessOf(const api::core_v1::Pod& pod, std::span<const api::Object> claims);

/// The most kinds of pods whose decisions are cached.
inline constexpr size_t kLikenessesMax = 1000;

/// Whether a message about a pod with these claims also holds for pods like it: it names none of
/// the claims.
bool IsOfAllAlike(std::string_view said, std::span<const api::Object> claims);

}  // namespace dray::planning::inline cluster
