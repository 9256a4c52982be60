// SPDX-License-Identifier: Apache-2.0
// Lazy<T>: a value made when first asked for, by whichever thread asks first.
#pragma once

#include <mutex>
#include <optional>

namespace dray {

/// A member of an otherwise immutable object that is made at most once. Readers that come while it
/// is made wait for it; later ones pay one atomic load.
template <class T>
class Lazy {
 public:
  /// The value; `make` is called once in the life of this object, and must not call Get on it.
  template <class F>
  const T& Get(F make) const {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;  // NOLINT(bugprone-unchecked-optional-access): call_once has filled it
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
};

}  // namespace dray
