// SPDX-License-Identifier: Apache-2.0
// Lazy<T>: a value that is computed when it is first asked for, once, whatever thread asks.
#pragma once

#include <atomic>
#include <optional>

namespace dray {

/// For members of objects that are otherwise immutable. Threads that ask while the value is
/// computed wait for it; later ones pay one atomic load. Nobody is woken, and the kernel not asked,
/// unless somebody waits (std::call_once asks it each time).
template <class T>
class Lazy {
 public:
  Lazy() = default;
  /// A copy of what holds a Lazy makes its own value.
  Lazy(const Lazy& /*other*/) noexcept {}
  Lazy(Lazy&& /*other*/) noexcept {}
  Lazy& operator=(const Lazy&) = delete;
  Lazy& operator=(Lazy&&) = delete;
  ~Lazy() = default;

  /// The value; `make` is called once in the life of this object, and must not call Get on it.
  /// One that throws was not called: the next who asks calls it again.
  template <class F>
  const T& Get(F make) const {
    if (state_.load(std::memory_order_acquire) != kMade) Fill(make);
    return *value_;  // Fill returns when it is there
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
