// SPDX-License-Identifier: Apache-2.0
// Lazy<T>: a value that is computed once, by the first thread that calls Get.
#pragma once

#include <atomic>
#include <optional>

namespace dray {

/// For members of objects that are otherwise immutable. Threads that call Get while the value is
/// computed wait for it; later calls cost one atomic load. The computing thread makes a system call
/// only if another thread waits (std::call_once makes one each time).
template <class T>
class Lazy {
 public:
  Lazy() = default;
  /// A copy of an object with a Lazy member computes its own value.
  Lazy(const Lazy& /*other*/) noexcept {}
  Lazy(Lazy&& /*other*/) noexcept {}
  Lazy& operator=(const Lazy&) = delete;
  Lazy& operator=(Lazy&&) = delete;
  ~Lazy() = default;

  /// Returns the value. `make` is called once in the life of this object, and must not call Get on
  /// it. If `make` throws, the next Get calls it again.
  template <class F>
  const T& Get(F make) const {
    if (state_.load(std::memory_order_acquire) != kMade) Fill(make);
    return *value_;  // Fill returns when the value exists
  }

 private:
  enum State : int { kEmpty, kBeingMade, kAwaited, kMade };

  template <class F>
  void Fill(F& make) const {
    for (State state = kEmpty;
         !state_.compare_exchange_strong(state, kBeingMade, std::memory_order_acquire);
         state = kEmpty) {
      if (state == kMade) return;
      if (state == kBeingMade) state_.compare_exchange_strong(state, kAwaited);
      state_.wait(kAwaited, std::memory_order_acquire);
    }
    try {
      value_.emplace(make());
    } catch (...) {
      Leave(kEmpty);
      throw;
    }
    Leave(kMade);
  }

  void Leave(State next) const {
    if (state_.exchange(next, std::memory_order_acq_rel) == kAwaited) state_.notify_all();
  }

  mutable std::atomic<State> state_ = kEmpty;
  mutable std::optional<T> value_;
};

}  // namespace dray
