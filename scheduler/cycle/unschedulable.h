// SPDX-License-Identifier: Apache-2.0
// Why a pod fits nowhere, in upstream's words, and what could make it fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "scheduler/preemption/preemption.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline cycle {

/// The pod fits nowhere now.
struct Unschedulable {
  size_t nodes = 0;
  std::string claim_reason;               // a reason for all nodes ("PreFilter"); or empty
  std::vector<std::string> node_reasons;  // one per node and reason
  size_t unresolvable_nodes = 0;          // evicting other pods would not help there
  /// Why evicting pods does not help on the other nodes; one per reason and node.
  std::vector<std::string> preemption_reasons;
  std::string not_preempting;  // why the pod may not preempt; or empty
  /// The pod may have claims, and a plugin before DynamicResources rejects it everywhere.
  /// Upstream's PostFilter then fails, because it does not find what PreFilter should have left.
  bool claims_unread = false;
  std::optional<Preemption> preemption;    // the pods to evict
  std::vector<size_t> unavailable_claims;  // allocated for other nodes, sorted
  bool left_over_in_the_way = false;       // ClusterView::left_over
  WaitsFor waits_for;
};

/// The attempt ended with an error of the pod's claims or the cluster, in upstream's words.
struct AttemptFailed {
  std::string message;
  bool took_too_much = false;  // the only error: the budget was spent
};

/// What the scheduler gave up to make room for a pod that fits nowhere. kNoNewClaims and
/// kStillNothing mean nothing, with a text of 1.30 and 1.31: there was no claim to try, or none
/// that helps.
enum class GivenUp : uint8_t { kNothing, kAllocation, kClaim, kNoNewClaims, kStillNothing };

/// The reasons of all nodes: "0/2 nodes are available: 2 cannot allocate all claims."
std::string ReasonsOf(const Unschedulable& result);
/// The text of condition and event: "0/2 nodes are available: 2 cannot allocate all claims.
/// preemption: …".
std::string MessageOf(const Unschedulable& result, GivenUp given_up = GivenUp::kNothing);

/// The claim to deallocate so that the pod may fit: the first unavailable one that no other pod has
/// reserved.
std::optional<size_t> ClaimToDeallocate(const Unschedulable& result,
                                        std::span<const api::Object> claims,
                                        std::string_view pod_uid);

}  // namespace dray::scheduler::inline cycle
