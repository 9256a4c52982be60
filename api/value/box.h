// SPDX-License-Identifier: Apache-2.0
// Values that may be absent and cost a pointer then: Box, and Maybe, which chooses between a Box
// and a std::optional.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace dray::api::inline value {

/// Like std::optional, but the value is allocated separately, and `T` may be incomplete where the
/// box is declared. Copies are deep, so code that reads documents must bound the nesting of boxes
/// (kNestedStructsMax).
template <class T>
class Box {
 public:
  using value_type = T;

  Box() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as std::optional
  Box(std::nullopt_t /*none*/) {}
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  template <class U = T>
    requires(!std::same_as<std::remove_cvref_t<U>, Box> &&
             !std::same_as<std::remove_cvref_t<U>, std::optional<T>> &&
             std::is_constructible_v<T, U &&>)
  // NOLINTNEXTLINE(google-explicit-constructor): as std::optional
  Box(U&& value) : value_(std::make_unique<T>(std::forward<U>(value))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): the same in another place
  Box(std::optional<T> value)
      : value_(value.has_value() ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  Box& operator=(const Box& other) {
    Box copy(other);  // `other` may be inside the value being replaced
    value_.swap(copy.value_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  template <class U = T>
    requires(!std::same_as<std::remove_cvref_t<U>, Box> &&
             !std::same_as<std::remove_cvref_t<U>, std::optional<T>> &&
             std::is_constructible_v<T, U &&>)
  Box& operator=(U&& value) {
    value_ = std::make_unique<T>(std::forward<U>(value));
    return *this;
  }
  ~Box() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  /// Only when there is one.
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }
  /// The value, or `other` if there is none.
  template <class U>
  T value_or(U&& other) const {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }

  /// A new value in place of the old one.
  template <class... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  /// Same content.
  bool operator==(const Box& other) const {
    return has_value() == other.has_value() && (!has_value() || **this == *other);
  }
  bool operator==(const T& other) const { return has_value() && **this == other; }
  bool operator==(std::nullopt_t /*none*/) const { return !has_value(); }

 private:
  std::unique_ptr<T> value_;
};

/// A struct that takes more than this is kept elsewhere where it may be absent.
inline constexpr size_t kInPlaceMax = 32;

/// A struct of the API that may be absent. Nearly all are absent in nearly all objects (a container
/// has room for three probes, a volume for thirty sources), so a large one takes a pointer until it
/// is there.
template <class T>
using Maybe = std::conditional_t<(sizeof(T) > kInPlaceMax), Box<T>, std::optional<T>>;

}  // namespace dray::api::inline value
