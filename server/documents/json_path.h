// SPDX-License-Identifier: Apache-2.0
// The part of kubectl's JSONPath that columns of custom kinds use: the value at a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/value/tree.h"

namespace dray::server::documents {

/// A parsed path: `.spec.a`, `.a['b.c']`, `.list[0]`, `[-1]`, `[1:3]`, `[*]`, `..name`,
/// `[?(@.type=="Ready")]`; a backslash escapes a dot. Immutable.
class JsonPath {
 public:
  /// Limit of the steps of one path; a longer path does not parse.
  static constexpr size_t kStepsMax = 256;

  /// Nullopt when `text` does not parse; the column is empty then.
  static std::optional<JsonPath> Parse(std::string_view text);

  /// The first value at the path; null when there is none. O(steps), and O(size of the value) for
  /// each of the steps `[*]`, `[?…]` and `..`.
  const api::Tree* First(const api::Tree& value) const;

  /// The name of the first step, if it is a field; else empty.
  std::string_view first_field() const;

 private:
  struct Step {
    enum class Kind : uint8_t { kField, kSlice, kAny, kFilter, kDescend };
    Kind kind = Kind::kField;
    std::string name;                   // of a field; for `..`, the name searched below
    std::optional<int64_t> begin, end;  // of a slice
    int64_t stride = 1;                 // of a slice
    std::vector<std::string> operand;   // of a filter: the field, from the element
    std::string comparison;             // ==, !=, <, <=, >, >=; empty: the operand exists
    api::Tree literal;                  // the right side of the comparison
  };
  using Values = std::vector<const api::Tree*>;

  class Parser;
  static void Apply(const Step& step, const api::Tree& value, Values& out);
  static void Slice(const Step& step, const api::Tree& list, Values& out);
  static void Descend(const Step& step, const api::Tree& value, Values& out);
  static bool Holds(const Step& step, const api::Tree& element);

  std::vector<Step> steps_;
};

}  // namespace dray::server::documents
