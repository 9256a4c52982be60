// SPDX-License-Identifier: Apache-2.0
// A value that may be absent and is allocated separately, for structs that contain themselves.
#pragma once

#include <memory>
#include <utility>

namespace dray::api::inline value {

/// Like std::optional, but `T` may be incomplete where the box is declared. Copies are deep, so
/// code that reads documents must bound the nesting of boxes (kNestedStructsMax).
template <class T>
class Box {
 public:
  Box() = default;
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    Box copy(other);  // `other` may be inside the value being replaced
    value_.swap(copy.value_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  /// Only when there is one.
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

  /// A new empty value in place of the old one.
  T& emplace() {
    value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }

  /// Same content.
  bool operator==(const Box& other) const {
    return has_value() == other.has_value() && (!has_value() || **this == *other);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace dray::api::inline value
