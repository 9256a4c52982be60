// SPDX-License-Identifier: Apache-2.0
// The dialogue of scheduler and drivers about the node of a pod, through its PodSchedulingContext
// (classic DRA, KEP-3063): a function of the pod's claims, what was said so far, and the nodes that
// fit otherwise. classic_scheduling.h does what is decided here.
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

/// Nodes that drivers are asked about at a time: the limit of the API.
inline constexpr size_t kPotentialNodesMax = 128;

/// Why the pod can go nowhere now, whatever the node: the first claim's reason. Null: it may.
const ClassicClaim* FindObstacle(std::span<const ClassicClaim> claims);

/// Why a node does not do.
struct NodeObjection {
  std::string reason;  // empty: there is none
  /// Claims that are allocated elsewhere, and only their being taken back would change that.
  std::vector<size_t> unavailable;
};

/// Whether the claims can be used or allocated on the node, as far as is known. `context`: what was
/// said so far; null: nothing. `instances`: what is free there for claims that the scheduler
/// allocates.
NodeObjection ObjectionTo(const api::core_v1::Node& node,
                          std::span<const ClassicClaim> claims,
                          const api::resource_v1alpha2::PodSchedulingContext* context,
                          ClassicClaims generation,
                          allocator::InstancesOnNode& instances);

/// What comes next when `node` was chosen among those that fit.
struct NextStep {
  enum class Kind : uint8_t {
    kBind,  // no driver has to allocate anything any more
    kSay,   // `spec` must be written; the drivers answer
    kWait,  // everything is said; the drivers are at work
  };
  Kind kind = Kind::kBind;
  api::resource_v1alpha2::PodSchedulingContextSpec spec;
};

/// The node is told once there is only one driver's claim to allocate or the drivers have answered
/// for all of them; until then they are asked about the nodes that fit (`fitting`, sorted by name).
///
/// Of more than kPotentialNodesMax those asked about before come first, then the others by name,
/// and nothing is asked anew while enough of those that fit have been asked about: upstream asks
/// about others at random at each attempt.
NextStep NextStepOf(std::span<const ClassicClaim> claims,
                    const api::resource_v1alpha2::PodSchedulingContext* context,
                    const std::vector<std::string>& fitting,
                    const std::string& node);

}  // namespace dray::scheduler::inline classic
