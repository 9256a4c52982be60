// SPDX-License-Identifier: Apache-2.0
// The structured allocator: devices for the claims of a pod, with the answers of upstream's
// (k8s.io/dynamic-resource-allocation/structured).
//
//   const dray::allocator::Attempt attempt(cluster, claims);   // a Snapshot: <dray/snapshot.h>
//   const auto outcome = attempt.Allocate(node);
//   if (!outcome) return outcome.error();  // the claims are invalid
//
//   if (const auto* found = std::get_if<dray::allocator::Allocation>(&*outcome))
//     Use(found->results);  // one AllocationResult per claim
#pragma once

#include <memory>
#include <span>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/result.h"
#include "dray/budget.h"
#include "dray/outcome.h"
#include "dray/snapshot.h"

namespace dray::allocator::inline v0 {

/// One attempt to find devices for the claims of a pod, on any number of nodes, from any number of
/// threads. The claims are prepared once, and nodes whose free devices are alike are searched once.
/// All answers are about the moment of the snapshot; make another attempt for another moment.
class Attempt {
 public:
  using Claims = std::span<const Frozen<api::resource_v1::ResourceClaim>>;

  /// Never fails: a problem of the claims is the answer for every node.
  Attempt(const Snapshot& snapshot, Claims claims);
  ~Attempt();
  /// An attempt that was moved from may only be destroyed or assigned.
  Attempt(Attempt&& other) noexcept;
  Attempt& operator=(Attempt&& other) noexcept;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  Claims claims() const;

  /// Returns the lexicographically smallest solution: claims in the given order, requests in
  /// written order, alternatives in their order, devices by pool, slice and position. Upstream
  /// returns the same, at whatever cost. Worst case exponential; bounded by the budget. The first
  /// call prepares the claims: O(requests), plus one evaluation per kind of device for each
  /// selector that is new to the snapshot and its relatives.
  ///
  /// Errors (upstream's texts): a class is missing, a selector does not compile or fails on a
  /// device, a pool is being updated while all its devices are wanted; kTimeout  cancelled.
  Result<Outcome> Allocate(const api::core_v1::Node& node, Budget budget = {}) const;

 private:
  class Impl;
  friend class Internals;

  explicit Attempt(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::allocator::inline v0
