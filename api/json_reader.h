// SPDX-License-Identifier: Apache-2.0
// A pull reader for JSON text (RFC 8259, strict): no tree, no copies but unescaped strings, exact
// positions, and the source text of any value, which opaque parameters keep byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dray::api {

enum class JsonKind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject, kInvalid };

/// "string", "number", …: how messages name what was found.
std::string_view JsonKindName(JsonKind kind);

/// Reads one JSON document from front to back. After the first mistake every call returns its empty
/// answer and failed() stays true, so callers need to check once, at the end of a value.
///
///   reader.EnterObject();
///   while (reader.NextKey(key)) value = reader.Number();
///   if (reader.failed()) return Fail(reader.error());
class JsonReader {
 public:
  /// Objects and arrays inside each other; upstream's limit (encoding/json).
  static constexpr size_t kDepthMax = 10'000;

  /// `text` must outlive the reader and everything returned as a view.
  explicit JsonReader(std::string_view text) : text_(text) {}

  /// What stands next; kInvalid at the end, after a failure and before anything that is no value.
  JsonKind Peek();

  bool EnterObject();
  /// The next key, or false at the end of the object (which is then left) and after a failure.
  bool NextKey(std::string& key);
  bool EnterArray();
  /// True when another element stands next; false at the end of the array, which is then left.
  bool NextElement();

  bool Bool();
  void Null();
  /// The number as written.
  std::string_view Number();
  /// The string without quotes and escapes.
  void String(std::string& out);
  /// Checks and passes over any value; its source text.
  std::string_view Skip();

  /// Only white space is left. Fails with "after top-level value" otherwise.
  bool Finish();

  bool failed() const { return !error_.empty(); }
  /// kBadRequest with line, column and what was expected.
  Error error() const;
  /// Bytes read so far.
  size_t offset() const { return at_; }

 private:
  void Whitespace();
  bool Literal(std::string_view word);
  bool Take(char expected, std::string_view after);
  bool Separator(char close);
  bool Push();
  void Escape(std::string& out);
  uint32_t HexQuad();
  void FailAt(std::string_view what);

  std::string_view text_;
  size_t at_ = 0;
  std::vector<bool> fresh_;  // per open object or array: no member read yet
  std::string error_;
};

/// Whether `text` is valid UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace dray::api
