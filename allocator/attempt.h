// SPDX-License-Identifier: Apache-2.0
// One attempt to find devices for the claims of a pod, on as many nodes as one likes.
#pragma once

#include <memory>
#include <span>

#include "allocator/budget.h"
#include "allocator/outcome.h"
#include "allocator/search/options.h"
#include "allocator/snapshot.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "base/result.h"

namespace dray::allocator {

/// The claims, made ready once: requests laid out, selectors looked up by shape of device. Nodes
/// whose free devices are alike are searched once. Thread-safe; the answers of one attempt are all
/// about the same moment.
class Attempt {
 public:
  using Claims = std::span<const Frozen<api::resource_v1::ResourceClaim>>;

  /// Never fails: what is wrong with the claims is the answer for every node. O(requests × shapes)
  /// for selectors that are new to the family of the snapshot.
  Attempt(Snapshot snapshot, Claims claims, SearchOptions options = {});
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  Claims claims() const;

  /// The lexicographically smallest solution: claims as given, requests as written, alternatives in
  /// their order, devices by pool, slice and place. Upstream's answer, whatever it costs upstream.
  /// Worst case exponential; bounded by the budget.
  ///
  /// Errors (upstream's texts): a class is missing, a selector does not compile or fails on a
  /// device, a pool is being updated while all its devices are wanted; kTimeout  cancelled.
  Result<Outcome> Allocate(const api::core_v1::Node& node, Budget budget = {}) const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::allocator
