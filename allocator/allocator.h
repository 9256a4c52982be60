// SPDX-License-Identifier: Apache-2.0
// The structured allocator: finds devices for claims on a node, with upstream's answers
// (k8s.io/dynamic-resource-allocation/structured; profile v0.37.2).
//
// This is the literal search, slow and plain: it stays as the oracle of faster ones.
#pragma once

#include <memory>
#include <span>

#include "allocator/allocated_state.h"
#include "allocator/budget.h"
#include "allocator/features.h"
#include "allocator/inventory.h"
#include "allocator/outcome.h"
#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "base/published.h"
#include "base/result.h"
#include "cel/selector_cache.h"

namespace dray::allocator {

/// Thread-safe: Allocate may be called for many nodes at once.
class Allocator {
 public:
  /// O(1): both arguments are shared.
  Allocator(Frozen<Inventory> inventory,
            Frozen<AllocatedState> state,
            std::shared_ptr<cel::SelectorCache> selectors,
            Features features = {});
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// The first complete solution wins: claims as given, requests as written, pools and devices in a
  /// fixed order. Worst case exponential in the number of devices asked for.
  ///
  /// Errors (upstream's texts): a class is missing, a selector does not compile or fails on a
  /// device, a pool is being updated while all its devices are wanted.
  Result<Outcome> Allocate(const api::core_v1::Node& node,
                           std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                           Budget budget) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::allocator
