// SPDX-License-Identifier: Apache-2.0
// JsonWriter: JSON text, written piece by piece at the end of a string.
//
//   std::string out;
//   JsonWriter json(out);
//   json.Object([&] {
//     json.Member("kind", "Table");
//     json.Member("metadata").Raw(metadata_json);
//     json.Member("rows").Array([&] {
//       for (const Row& row : rows) WriteRow(row, json);  // one value each
//     });
//   });
//
// The writer adds braces, brackets, commas and escapes, so the output is always JSON. A value in
// place of a name, a name in an array, or a second value at the top is a bug, so it fails a
// DRAY_CHECK. The writer allocates nothing except in the string.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace dray::api::inline codec {

/// A value without parts: a text, a whole number, true, false or null. Made where a function takes
/// one; a text must outlive the call.
class JsonScalar {
 public:
  // NOLINTBEGIN(google-explicit-constructor): these are what JSON has
  JsonScalar(std::nullptr_t) : kind_(Kind::kNull) {}
  JsonScalar(std::string_view text) : kind_(Kind::kText), text_(text) {}
  JsonScalar(const std::string& text) : kind_(Kind::kText), text_(text) {}
  JsonScalar(const char* text) : kind_(Kind::kText), text_(text) {}
  JsonScalar(std::same_as<bool> auto truth) : kind_(truth ? Kind::kTrue : Kind::kFalse) {}
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  JsonScalar(T number)
      : kind_(std::signed_integral<T> ? Kind::kSigned : Kind::kUnsigned),
        number_(static_cast<uint64_t>(number)) {}
  // NOLINTEND(google-explicit-constructor)

  void AppendTo(std::string& out) const;

 private:
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kSigned, kUnsigned, kText };

  Kind kind_;
  uint64_t number_ = 0;
  std::string_view text_;
};

struct JsonMember {
  std::string_view name;
  JsonScalar value;
};

class JsonWriter {
 public:
  /// Writes one value at the end of `out`, which must outlive the writer. The caller may remove the
  /// text written so far at any time, so that a long text can be sent while it is written.
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  ~JsonWriter() = default;

  // Values: what the string begins with, what follows a name, and the elements of an array.

  void Value(JsonScalar value) {
    BeginValue();
    value.AppendTo(out_);
  }

  /// Writes `json` unchanged; it must be one JSON value.
  void Raw(std::string_view json) {
    BeginValue();
    out_ += json;
  }

  /// `append(std::string&)` appends one JSON value.
  template <std::invocable<std::string&> F>
  void Encoded(F&& append) {
    BeginValue();
    append(out_);
  }

  /// An object with the members that `members()` writes, by calls of Member().
  template <std::invocable F>
  void Object(F&& members) {
    BeginValue();
    const Place outer = Enter('{', Place::kFirstMember);
    members();
    DRAY_CHECK(place_ == Place::kFirstMember || place_ == Place::kMember);
    Leave('}', outer);
  }

  /// {"group":"apps","version":"v1"} of {{"group", "apps"}, {"version", "v1"}}
  void Object(std::initializer_list<JsonMember> members);

  /// An array with the values that `elements()` writes.
  template <std::invocable F>
  void Array(F&& elements) {
    ArrayFrom(Place::kFirstElement, elements);
  }

  /// The same, with each element on a line of its own, for reports that people read with `grep`.
  template <std::invocable F>
  void ArrayOfLines(F&& elements) {
    ArrayFrom(Place::kFirstLine, elements);
  }

  /// An array of scalars.
  template <class Range>
  void ArrayOf(const Range& elements) {
    Array([&] {
      for (const auto& element : elements) Value(element);
    });
  }

  // Members of the innermost object. Duplicate names are not detected.

  /// Begins a member; its value must follow: json.Member("items").Array(…).
  JsonWriter& Member(std::string_view name);

  void Member(std::string_view name, JsonScalar value) { Member(name).Value(value); }

  /// The members of `object`, which is a JSON object without spaces around it.
  void MembersOf(std::string_view object);

 private:
  /// What may follow at the current position.
  enum class Place : uint8_t {
    kDocument,  // the value at the top
    kEnd,       // nothing
    kFirstMember,
    kMember,
    kMemberValue,
    kFirstElement,
    kElement,
    kFirstLine,
    kLine,
  };

  // Writes the separator before a value, and notes what may follow it.
  void BeginValue();

  Place Enter(char bracket, Place first) {
    out_ += bracket;
    return std::exchange(place_, first);
  }
  void Leave(char bracket, Place outer) {
    out_ += bracket;
    place_ = outer;
  }

  template <class F>
  void ArrayFrom(Place first, F& elements) {
    BeginValue();
    const Place outer = Enter('[', first);
    elements();
    DRAY_CHECK(place_ >= Place::kFirstElement);
    Leave(']', outer);
  }

  std::string& out_;
  Place place_ = Place::kDocument;
};

/// The text of one value that `write(JsonWriter&)` writes.
template <std::invocable<JsonWriter&> F>
std::string JsonText(F&& write) {
  std::string out;
  JsonWriter json(out);
  write(json);
  return out;
}

}  // namespace dray::api::inline codec
