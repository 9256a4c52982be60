// SPDX-License-Identifier: Apache-2.0
// Which pods the scheduler cannot tell apart: equal pods of a Job, each with a claim of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/object.h"

namespace dray::planning::inline cluster {

/// A text that is the same of two pods only if the scheduler decides alike about them while
/// nothing is placed in between: all of the pod but its name, what only its containers see and its
/// history; of claims that have devices which claim it is, of others what they ask for. `claims`
/// are those of ResolveClaims. Empty: the pod is like no other. O(size of pod and claims).
std::string LikenessOf(const api::core_v1::Pod& pod, std::span<const api::Object> claims);

/// Kinds of pods of which a decision is kept at most.
inline constexpr size_t kLikenessesMax = 1000;

/// Whether what was said of a pod with these claims may be said of all that are like it: it names
/// none of the claims.
bool IsOfAllAlike(std::string_view said, std::span<const api::Object> claims);

}  // namespace dray::planning::inline cluster
