// SPDX-License-Identifier: Apache-2.0
// How long a search may take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace dray::allocator::inline v0 {

/// Work that several attempts may do together, for any number of threads. A unit takes about a
/// nanosecond of an optimised program; what is counted follows from the input alone. Threads that
/// search at once may each take what is left.
class SharedWork {
 public:
  explicit SharedWork(uint64_t max) : left_(max) {}

  uint64_t left() const { return left_.load(std::memory_order_relaxed); }
  /// Nothing may be done any more: all further answers are Undecided.
  bool is_spent() const { return left() == 0; }
  /// Takes `units` away, or what is left.
  void Charge(uint64_t units) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (!left_.compare_exchange_weak(
        left, left - std::min(left, units), std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<uint64_t> left_;
};

/// Counts places of the search and what is done there, not time, so an answer does not depend on
/// the machine.
struct Budget {
  /// Places of the search on one node. All nodes of an attempt together, with the evaluation of
  /// expressions, get the work of so many places: kWorkPerStep for each.
  int64_t steps_max = 1'000'000'000;
  /// Set by another thread to end the call early with an error; null: never. Outlives the
  /// call.
  const std::atomic<bool>* cancelled = nullptr;
  /// What the call may take at most, and others with it; null: no such limit. Outlives the call.
  SharedWork* work = nullptr;

  /// Of a usual place of a search: half a microsecond.
  static constexpr uint64_t kWorkPerStep = 500;

  bool IsCancelled() const {
    return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
  }
};

}  // namespace dray::allocator::inline v0
