// SPDX-License-Identifier: Apache-2.0
// A pull reader for JSON text (RFC 8259, strict): no tree, no copies but strings with escapes,
// exact positions, and the source text of any value, which opaque parameters keep byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/text_scan.h"

namespace dray::api::inline codec {

enum class JsonKind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject, kInvalid };

/// "string", "number", …: the kind's name in messages.
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
  explicit JsonReader(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  /// The kind of the next value; kInvalid at the end, after a failure, and if no value follows.
  JsonKind Peek() {
    SkipBlanks();
    return at_ == end_ ? JsonKind::kInvalid : KindBeginningWith(*at_);
  }

  /// Whether the next value begins with `c`: faster than Peek() where one kind is expected.
  bool NextIs(char c) {
    SkipBlanks();
    return at_ != end_ && *at_ == c;
  }

  bool EnterObject() { return Enter('{'); }
  /// The next key, or false at the end of the object (which is then left) and after a failure.
  bool NextKey(std::string& key) {
    std::string_view found;
    if (!NextKey(found)) return false;
    key = found;
    return true;
  }
  /// The same as a view, valid as long as text and reader are; keys with escapes are stored in the
  /// reader.
  bool NextKey(std::string_view& key) {
    if (!Next('}')) return false;
    if (!PlainString(key)) key = LongKey();
    if (at_ == end_ || *at_ != ':') return Colon();
    ++at_;
    return true;
  }
  bool EnterArray() { return Enter('['); }
  /// Returns whether another element follows; at the end of the array, leaves it.
  bool NextElement() {
    if (!Next(']')) return false;
    if (Peek() != JsonKind::kInvalid) return true;
    FailAt("looking for beginning of value");
    return false;
  }

  bool Bool();
  void Null();
  /// The number as written.
  std::string_view Number();
  /// The string without quotes and escapes.
  void String(std::string& out) {
    std::string_view found;
    if (PlainString(found)) {
      out.assign(found);
    } else {
      LongString(out, "looking for beginning of string");
    }
  }
  /// The same as a view into the text, or into `storage` where it is not plain.
  std::string_view String(std::string& storage, std::string_view& out) {
    if (!PlainString(out)) {
      LongString(storage, "looking for beginning of string");
      out = storage;
    }
    return out;
  }
  /// A fast path for strings without escapes and with only ASCII; returns false, and reads nothing,
  /// for other values.
  [[gnu::always_inline]] bool PlainString(std::string_view& out) {
    SkipBlanks();
    if (at_ == end_ || *at_ != '"') return false;
    const char* const start = at_ + 1;
    const char* const stop = FindPlainEnd(start, end_);
    if (stop == nullptr) return false;
    at_ = stop + 1;
    out = {start, static_cast<size_t>(stop - start)};
    return true;
  }
  /// Checks and skips any value; returns its source text.
  std::string_view Skip();

  /// Checks that only white space is left. Fails with "after top-level value" otherwise.
  bool Finish();

  /// Ends reading like an error does; for callers that have found an error of their own.
  void Stop() { FailAt("where reading was stopped"); }
  bool failed() const { return failed_; }
  /// kBadRequest with line, column and the expected text.
  Error error() const;
  /// Bytes read so far; after a failure, up to the error.
  size_t offset() const { return static_cast<size_t>((failed_ ? mistake_ : at_) - begin_); }

 private:
  static JsonKind KindBeginningWith(char c) {
    switch (c) {
      case '{': return JsonKind::kObject;
      case '[': return JsonKind::kArray;
      case '"': return JsonKind::kString;
      case 't':
      case 'f': return JsonKind::kBool;
      case 'n': return JsonKind::kNull;
      default: return c == '-' || (c >= '0' && c <= '9') ? JsonKind::kNumber : JsonKind::kInvalid;
    }
  }

  void SkipBlanks() {
    if (at_ == end_ || static_cast<unsigned char>(*at_) > ' ') return;
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  [[gnu::always_inline]] bool Enter(char open) {
    SkipBlanks();
    if (at_ == end_ || *at_ != open) return Fail("looking for beginning of value");
    if (depth_ == kDepthMax) return FailWith("exceeded max depth");
    ++at_;
    ++depth_;
    is_first_ = true;
    return true;
  }
  // Returns whether a member follows: skips the comma before it, or leaves the container at
  // `close`.
  [[gnu::always_inline]] bool Next(char close) {
    SkipBlanks();
    const bool is_first = is_first_;
    is_first_ = false;
    if (at_ == end_) return Fail("");
    if (*at_ == close) {
      ++at_;
      --depth_;
      return false;
    }
    if (is_first) return true;
    if (*at_ == ',') {
      ++at_;
      return true;
    }
    return Fail(close == '}' ? "after object key:value pair" : "after array element");
  }
  bool Colon();
  bool Literal(std::string_view word);
  std::string_view LongKey();
  void LongString(std::string& out, std::string_view where);
  const char* EndOfRun();
  void Escape(std::string& out);
  uint32_t HexQuad();
  bool Fail(std::string_view what) {
    FailAt(what);
    return false;
  }
  bool FailWith(std::string what);
  void FailAt(std::string_view where);

  const char* begin_;
  const char* at_;
  const char* end_;
  size_t depth_ = 0;
  bool is_first_ = false;  // entered, but no member read yet
  bool failed_ = false;
  const char* mistake_ = nullptr;
  std::string what_;
  std::forward_list<std::string> keys_;  // those with escapes
};

/// Whether `text` is valid UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace dray::api::inline codec
