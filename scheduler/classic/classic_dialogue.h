// SPDX-License-Identifier: Apache-2.0
// The dialogue of scheduler and drivers about the node of a pod, through its PodSchedulingContext
// (classic DRA, KEP-3063). It is a pure function of the pod's claims, the dialogue so far, and the
// nodes that otherwise fit. classic_scheduling.h carries the decisions out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1alpha2.h"
#include "scheduler/classic/classic_claims.h"

namespace dray::scheduler::inline classic {

/// The most nodes that drivers are asked about at a time: the limit of the API.
inline constexpr size_t kPotentialNodesMax = 128;

/// The first claim that keeps the pod from every node for now. Null: there is none.
const ClassicClaim* FindObstacle(std::span<const ClassicClaim> claims);

/// Why a node is rejected.
struct NodeObjection {
  std::string reason;  // empty: there is none
  /// Claims allocated for other nodes. The node fits only if one of them is deallocated.
  std::vector<size_t> unavailable;
};

/// Whether the claims can be used or allocated on the node, as far as is known. `context`: the
/// dialogue so far; null: none. `instances`: the node's free instances for claims that the
/// scheduler allocates.
NodeObjection ObjectionTo(const api::core_v1::Node& node,
                          std::span<const ClassicClaim> claims,
                          const api::resource_v1alpha2::PodSchedulingContext* context,
                          ClassicClaims generation,
                          allocator::InstancesOnNode& instances);

/// The next step of the dialogue once `node` is chosen among the nodes that fit.
struct NextStep {
  enum class Kind : uint8_t {
    kBind,  // no claim is left for drivers to allocate
    kSay,   // write `spec`; the drivers answer it
    kWait,  // `spec` is up to date; the drivers are at work
  };
  Kind kind = Kind::kBind;
  api::resource_v1alpha2::PodSchedulingContextSpec spec;
};

/// Selects the node once only one driver's claim is left to allocate or the drivers have answered
/// for all claims. Until then it asks the drivers about the nodes that fit (`fitting`, sorted by
/// name).
///
/// If more than kPotentialNodesMax nodes fit, those asked about before come first, then the others
/// by name. Nothing new is asked while the drivers have been asked about enough of the nodes that
/// fit. Upstream asks about random other nodes at each attempt.
NextStep NextStepOf(std::span<const ClassicClaim> claims,
                    const api::resource_v1alpha2::PodSchedulingContext* context,
                    const std::vector<std::string>& fitting,
                    const std::string& node);

}  // namespace dray::scheduler::inline classic
