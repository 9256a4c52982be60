// SPDX-License-Identifier: Apache-2.0
// Lazy<T>: a value that is computed when it is first asked for, once, whatever thread asks.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

namespace dray {

/// For members of objects that are otherwise immutable. Threads that ask while the value is
/// computed wait for it; later ones pay one atomic load.
template <class T>
class Lazy {
 public:
  /// The value; `make` is called once in the life of this object, and must not call Get on it.
  template <class F>
  const T& Get(F make) const {
    if (!made_.load(std::memory_order_acquire)) {
      std::call_once(once_, [&] {
        value_.emplace(make());
        made_.store(true, std::memory_order_release);
      });
    }
    return *value_;  // one of the two says that it is filled
  }

 private:
  mutable std::once_flag once_;
  mutable std::atomic<bool> made_ = false;  // for those who come later
  mutable std::optional<T> value_;
};

}  // namespace dray
