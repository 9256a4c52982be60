// SPDX-License-Identifier: Apache-2.0
// Why a pod fits nowhere, in upstream's words, and what can be done about it.
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
  std::string claim_reason;  // about the pod's claims, whatever the node ("PreFilter"); or empty
  std::vector<std::string> node_reasons;  // one per node and reason
  size_t unresolvable_nodes = 0;          // evicting other pods would not help there
  /// One per reason and other node: why evicting pods does not help there either.
  std::vector<std::string> preemption_reasons;
  std::string not_preempting;              // why the pod may evict nobody; or empty
  std::optional<Preemption> preemption;    // whom to evict
  std::vector<size_t> unavailable_claims;  // allocated where the pod cannot go, sorted
  bool left_over_in_the_way = false;       // ClusterView::left_over
  WaitsFor waits_for;
};

/// Something is wrong with the pod's claims or the cluster, in upstream's words.
struct AttemptFailed {
  std::string message;
  bool took_too_much = false;  // nothing is wrong but that it takes more than an attempt may
};

/// What was given up for a pod that fits nowhere.
/// kNoNewClaims, kStillNothing: nothing, and it is said; there was nothing to look at, or nothing
/// that helps (1.30, 1.31).
enum class GivenUp : uint8_t { kNothing, kAllocation, kClaim, kNoNewClaims, kStillNothing };

/// Why the nodes do not do: "0/2 nodes are available: 2 cannot allocate all claims."
std::string ReasonsOf(const Unschedulable& result);
/// The text of condition and event: "0/2 nodes are available: 2 cannot allocate all claims.
/// preemption: …".
std::string MessageOf(const Unschedulable& result, GivenUp given_up = GivenUp::kNothing);

/// The claim to take back an allocation from so that the pod may fit: the first unavailable one
/// that nobody but this pod has reserved.
std::optional<size_t> ClaimToDeallocate(const Unschedulable& result,
                                        std::span<const api::Object> claims,
                                        std::string_view pod_uid);

}  // namespace dray::scheduler::inline cycle
