// SPDX-License-Identifier: Apache-2.0
// IntOrString: a value that documents may spell as a number or as a string.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace dray::api::inline value {

/// A 32-bit number or a text; the number 0 by default, as upstream. 1 and "1" differ.
class IntOrString {
 public:
  IntOrString() = default;
  explicit IntOrString(int32_t number) : value_(number) {}
  explicit IntOrString(std::string text) : value_(std::move(text)) {}

  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  /// 0 for a text.
  int32_t number() const {
    const int32_t* number = std::get_if<int32_t>(&value_);
    return number == nullptr ? 0 : *number;
  }
  /// Empty for a number.
  const std::string& text() const {
    static const std::string kNone;
    const std::string* text = std::get_if<std::string>(&value_);
    return text == nullptr ? kNone : *text;
  }
  std::string ToString() const { return is_string() ? text() : std::to_string(number()); }

  bool operator==(const IntOrString&) const = default;

 private:
  std::variant<int32_t, std::string> value_ = 0;
};

}  // namespace dray::api::inline value
