// SPDX-License-Identifier: Apache-2.0
// The claims of a pod as one attempt to place it sees them ("PreFilter").
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/selectors/node_selector_match.h"
#include "base/frozen.h"
#include "scheduler/cycle/cluster_view.h"
#include "scheduler/cycle/unschedulable.h"

namespace dray::scheduler::inline cycle {

/// The claims of an attempt: those allocated, with their node selectors, and those to allocate.
struct ClaimSet {
  struct Allocated {
    size_t index;
    std::optional<api::NodeSelector> nodes;  // none: all nodes
    bool is_useless = false;                 // a device failed to get ready, or took too long
    bool skips_operations = false;           // only some nodes can do that
  };
  std::vector<Allocated> allocated;
  std::vector<size_t> wanted_indexes;
  std::vector<Frozen<api::resource_v1::ResourceClaim>> wanted;
  bool prioritized = false;
};

/// A result that ends an attempt before any node is considered.
using EndOfAttempt = std::variant<Unschedulable, AttemptFailed>;

/// The pod fits on no node, for one reason that does not depend on the node.
Unschedulable ForAllNodes(std::string reason, const ClusterView& view, WaitsFor waits_for);

/// Sorts the claims of a pod into `set`. Returns a result if the attempt ends for all nodes: a
/// class does not exist, an allocation of a claim is in flight, or a selector is invalid.
std::optional<EndOfAttempt> SortClaims(std::span<const api::Object> claims,
                                       const ClusterView& view,
                                       const CycleOptions& options,
                                       ClaimSet& set);

/// How well the alternatives of prioritized lists were served: 8 for each first choice, one less
/// for each step down the list (KEP-4816).
int Score(const ClaimSet& set, const std::vector<api::resource_v1::AllocationResult>& results);

}  // namespace dray::scheduler::inline cycle
