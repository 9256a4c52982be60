// SPDX-License-Identifier: Apache-2.0
// Lazy<T>: a value that is computed when it is first asked for, once, whatever thread asks.
#pragma once

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
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;  // call_once has filled it
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
};

}  // namespace dray
