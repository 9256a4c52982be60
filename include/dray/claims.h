// SPDX-License-Identifier: Apache-2.0
// What claims hold, from their status:
//
//   const auto state = dray::allocator::StateOf(stored_claims);
//   const dray::allocator::Snapshot cluster({}, slices, classes, state);   // <dray/snapshot.h>
#pragma once

#include <span>
#include <vector>

#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/features.h"

namespace dray::allocator::inline v0 {

/// What the results of an allocation take, in their order. Results with admin access take nothing
/// (those of 1.31 take devices). A result with a share id takes a share, if the feature of
/// consumable capacity is on; else the whole device.
std::vector<AllocatedPart> PartsOf(const api::resource_v1::AllocationResult& allocation,
                                   const Features& features = {});
/// The same of a stored claim; nothing if it has no allocation. Any client may have written its
/// status: a result has admin access only if the request has it too.
std::vector<AllocatedPart> PartsOf(const api::resource_v1::ResourceClaim& claim,
                                   const Features& features = {});

/// What all these claims hold together, as upstream's scheduler gathers it from its cache.
/// O(results · log n).
AllocatedState StateOf(std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                       const Features& features = {});

}  // namespace dray::allocator::inline v0
