// SPDX-License-Identifier: Apache-2.0
// Limits of a search.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace dray::allocator::inline v0 {

/// Work that several attempts share, for any number of threads. A unit takes about a nanosecond of
/// an optimised program; the count depends on the input alone. Threads that search at the same time
/// may each take all that is left.
class SharedWork {
 public:
  explicit SharedWork(uint64_t max) : left_(max) {}

  uint64_t left() const { return left_.load(std::memory_order_relaxed); }
  /// The work is used up: all further answers are Undecided.
  bool is_spent() const { return left() == 0; }
  /// Subtracts `units`, down to zero.
  void Charge(uint64_t units) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (!left_.compare_exchange_weak(
        left, left - std::min(left, units), std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<uint64_t> left_;
};

/// Counts steps of the search instead of time, so an answer does not depend on the machine.
struct Budget {
  /// Limit of search steps on one node. All nodes of an attempt together, including the evaluation
  /// of expressions, get the work of as many steps: kWorkPerStep for each.
  int64_t steps_max = 1'000'000'000;
  /// Set by another thread to end the call early with an error; null: never. Outlives the
  /// call.
  const std::atomic<bool>* cancelled = nullptr;
  /// Limit of the work of this call and of others that share it; null: no such limit. Outlives the
  /// call.
  SharedWork* work = nullptr;

  /// Work of a usual search step: half a microsecond.
  static constexpr uint64_t kWorkPerStep = 500;

  bool IsCancelled() const {
    return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
  }
};

}  // namespace dray::allocator::inline v0
