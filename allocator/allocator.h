// SPDX-License-Identifier: Apache-2.0
// The structured allocator: finds devices for claims on a node, with upstream's answers
// (k8s.io/dynamic-resource-allocation/structured; profile v0.37.2 unless the features say another).
#pragma once

#include <memory>
#include <span>

#include "allocator/allocated_state.h"
#include "allocator/attempt.h"
#include "allocator/budget.h"
#include "allocator/features.h"
#include "allocator/inventory.h"
#include "allocator/outcome.h"
#include "allocator/search/options.h"
#include "allocator/snapshot.h"
#include "api/core_v1/node.h"
#include "base/mutex.h"
#include "base/result.h"
#include "cel/selector_cache.h"

namespace dray::allocator {

/// Allocate in the shape upstream's newest version has: the claims come with the call. Thread-safe:
/// it may be called for many nodes at once.
class Allocator {
 public:
  /// O(1).
  explicit Allocator(Snapshot snapshot, SearchOptions options = {});
  /// Makes the snapshot first: O(devices). Whoever asks more than once keeps a snapshot.
  Allocator(Frozen<Inventory> inventory,
            Frozen<AllocatedState> state,
            std::shared_ptr<cel::SelectorCache> selectors,
            Features features = {});
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  const Snapshot& snapshot() const { return snapshot_; }

  /// Attempt::Allocate; calls with the same claims as the call before are one attempt.
  Result<Outcome> Allocate(const api::core_v1::Node& node,
                           Attempt::Claims claims,
                           Budget budget = {}) const;

 private:
  std::shared_ptr<const Attempt> AttemptFor(Attempt::Claims claims) const;

  const Snapshot snapshot_;
  const SearchOptions options_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Attempt> attempt_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::allocator
