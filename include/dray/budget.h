// SPDX-License-Identifier: Apache-2.0
// How long a search may take.
#pragma once

#include <atomic>
#include <cstdint>

namespace dray::allocator::inline v0 {

/// Counts places of the search, not time, so an answer does not depend on the machine.
struct Budget {
  int64_t steps_max = 1'000'000'000;
  /// Set by another thread to end the call early with an error; null: never. Outlives the
  /// call.
  const std::atomic<bool>* cancelled = nullptr;

  bool IsCancelled() const {
    return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
  }
};

}  // namespace dray::allocator::inline v0
