// SPDX-License-Identifier: Apache-2.0
// One step of the way from an object to a part of it, as managedFields name it (FieldsV1 of
// meta/v1; the names of steps are those of structured-merge-diff).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace dray::api::managed_fields {

/// A member of a list element's key: a name, and a value as compact JSON.
using KeyMember = std::pair<std::string, std::string>;

/// One step: into a field, an element of a list by key, an element of a set, or an element by its
/// index. Stored as the text of FieldsV1, so that equal steps have equal texts:
///
///   f:spec   k:{"name":"a"}   v:"a.example.com/x"   i:0
class PathElement {
 public:
  /// In the order in which steps are sorted.
  enum class Kind : uint8_t { kField, kKey, kValue, kIndex };

  static PathElement OfField(std::string_view name);
  /// `members` in any order.
  static PathElement OfKey(std::vector<KeyMember> members);
  /// The same of `object`, whose members are sorted and whose values are compact JSON.
  static PathElement OfSortedKey(std::string_view object);
  /// `json`: the element as compact JSON.
  static PathElement OfValue(std::string_view json);
  static PathElement OfIndex(size_t index);

  /// Parses an element of FieldsV1; returns nothing if its kind is not known. Errors: kBadRequest
  /// too short, no colon, or not the JSON or number that its kind requires.
  static Result<std::optional<PathElement>> Parse(std::string_view text);

  Kind kind() const;
  /// The text in FieldsV1.
  const std::string& text() const { return text_; }
  /// The name of a field. Precondition: a field.
  std::string_view name() const { return std::string_view(text_).substr(2); }
  /// The text in messages: `.spec`, `[name="a"]`, `[="a.example.com/x"]`, `[0]`.
  std::string Readable() const;

  bool operator==(const PathElement&) const = default;
  /// Fields before keys before values before indices; names by their bytes, keys member by member,
  /// numbers by their amount. O(size); keys and values whose texts differ in a string, as usual,
  /// are compared without reading them.
  std::strong_ordering operator<=>(const PathElement& other) const;

 private:
  static PathElement Of(char letter, std::string_view rest);
  explicit PathElement(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// A way into an object, from its top.
using Path = std::vector<PathElement>;

/// `.spec.devices[name="a"].driver`
std::string Readable(const Path& path);

/// The order of scalars (as compact JSON): numbers by amount, then texts, Booleans, the rest.
std::strong_ordering CompareScalars(std::string_view a, std::string_view b);

}  // namespace dray::api::managed_fields
