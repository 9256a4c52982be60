// SPDX-License-Identifier: Apache-2.0
#include "api/codec/json_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/ascii.h"

namespace dray::api::inline codec {
namespace {

void AppendUtf8(std::string& out, uint32_t code) {
  const auto byte = [&](uint32_t value) {
    out += static_cast<char>(static_cast<unsigned char>(value));
  };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

size_t Utf8SizeBy(unsigned char lead) {
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

// The bytes of the sequence of two or more that `text` begins with; 0 if there is none.
size_t LongUtf8Size(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t size = Utf8SizeBy(lead);
  if (size == 0 || size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned char next = byte(1);
  if (lead == 0xE0 && next < 0xA0) return 0;   // overlong
  if (lead == 0xED && next >= 0xA0) return 0;  // surrogate
  if (lead == 0xF0 && next < 0x90) return 0;   // overlong
  if (lead == 0xF4 && next >= 0x90) return 0;  // beyond U+10FFFF
  return size;
}

constexpr bool IsSurrogate(uint32_t code) {
  return code >= 0xD800 && code < 0xE000;
}

}  // namespace

std::string_view JsonKindName(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull: return "null";
    case JsonKind::kBool: return "bool";
    case JsonKind::kNumber: return "number";
    case JsonKind::kString: return "string";
    case JsonKind::kArray: return "array";
    case JsonKind::kObject: return "object";
    case JsonKind::kInvalid: return "nothing";
  }
  return "nothing";
}

void JsonReader::FailAt(std::string_view where) {
  if (failed_) return;
  if (at_ == end_) {
    FailWith("unexpected end of JSON input");
    return;
  }
  const auto c = static_cast<unsigned char>(*at_);
  const std::string shown = c == '\''               ? "'\\''"
                            : c < 0x20 || c >= 0x7F ? fmt::format("'\\x{:02x}'", c)
                                                    : fmt::format("'{}'", static_cast<char>(c));
  FailWith(fmt::format("invalid character {} {}", shown, where));
}

bool JsonReader::FailWith(std::string what) {
  if (failed_) return false;
  failed_ = true;
  what_ = std::move(what);
  mistake_ = at_;
  at_ = end_;
  return false;
}

Error JsonReader::error() const {
  const std::string_view before(begin_, offset());
  const auto line = 1 + std::ranges::count(before, '\n');
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {.reason = StatusReason::kBadRequest,
          .message = fmt::format(
              "json: line {}, column {}: {}", line, before.size() - line_start + 1, what_)};
}

bool JsonReader::Colon() {
  SkipBlanks();
  if (at_ == end_ || *at_ != ':') return Fail("after object key");
  ++at_;
  return true;
}

std::string_view JsonReader::LongKey() {
  keys_.emplace_front();
  LongString(keys_.front(), "looking for beginning of object key string");
  return keys_.front();
}

bool JsonReader::Literal(std::string_view word) {
  if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) {
    return Fail("looking for beginning of value");
  }
  at_ += word.size();
  return true;
}

bool JsonReader::Bool() {
  if (Peek() != JsonKind::kBool) return Fail("looking for a boolean");
  if (*at_ == 't') return Literal("true");
  Literal("false");
  return false;
}

void JsonReader::Null() {
  if (Peek() == JsonKind::kNull) {
    Literal("null");
  } else {
    FailAt("looking for null");
  }
}

std::string_view JsonReader::Number() {
  if (Peek() != JsonKind::kNumber) {
    FailAt("looking for a number");
    return {};
  }
  const char* const start = at_;
  const auto is = [&](char c) { return at_ != end_ && *at_ == c; };
  const auto digits = [&](std::string_view where) {
    if (at_ == end_ || !IsDigitAscii(*at_)) FailAt(where);
    while (at_ != end_ && IsDigitAscii(*at_)) ++at_;
  };
  if (is('-')) ++at_;
  if (is('0')) {
    ++at_;
  } else {
    digits("in numeric literal");
  }
  if (is('.')) {
    ++at_;
    digits("after decimal point in numeric literal");
  }
  if (is('e') || is('E')) {
    ++at_;
    if (is('+') || is('-')) ++at_;
    digits("in exponent of numeric literal");
  }
  if (at_ != end_ && IsDigitAscii(*at_)) FailAt("after a leading zero in numeric literal");
  if (failed_) return {};
  return {start, static_cast<size_t>(at_ - start)};
}

// Where valid UTF-8 ends that may stand in a string as it is: at a quote, an escape, or a mistake.
const char* JsonReader::EndOfRun() {
  const char* at = at_;
  while (true) {
    at = FindEndOfPlain(at, end_);
    if (at == end_ || static_cast<unsigned char>(*at) < 0x80) return at;
    const size_t size = LongUtf8Size({at, static_cast<size_t>(end_ - at)});
    if (size == 0) {
      at_ = at;
      FailWith("invalid UTF-8 in string");
      return end_;
    }
    at += size;
  }
}

// Any string.
void JsonReader::LongString(std::string& out, std::string_view where) {
  out.clear();
  if (at_ == end_ || *at_ != '"') return FailAt(where);
  ++at_;
  while (true) {
    const char* const start = at_;
    const char* const stop = EndOfRun();
    if (failed_) return;
    out.append(start, stop);
    at_ = stop;
    if (at_ == end_ || static_cast<unsigned char>(*at_) < 0x20) return FailAt("in string literal");
    if (*at_++ == '"') return;
    Escape(out);
    if (failed_) return;
  }
}

uint32_t JsonReader::HexQuad() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ != end_ ? *at_ : '\0';
    code <<= 4U;
    if (IsDigitAscii(c)) {
      code |= static_cast<uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      code |= static_cast<uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      code |= static_cast<uint32_t>(c - 'A' + 10);
    } else {
      FailAt("in \\u hexadecimal character escape");
      return 0;
    }
  }
  return code;
}

// After the backslash. A lone half of a surrogate pair becomes U+FFFD, as in Go.
void JsonReader::Escape(std::string& out) {
  constexpr uint32_t kReplacement = 0xFFFD;
  const char c = at_ != end_ ? *at_ : '\0';
  constexpr std::string_view kFrom = "\"\\/bfnrt";
  constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
  if (const size_t simple = kFrom.find(c); c != '\0' && simple != std::string_view::npos) {
    out += kTo[simple];
    ++at_;
    return;
  }
  if (c != 'u') {
    FailAt("in string escape code");
    return;
  }
  ++at_;
  uint32_t code = HexQuad();
  if (IsSurrogate(code)) {
    uint32_t low = 0;
    const char* const rewind = at_;
    if (code < 0xDC00 && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
      at_ += 2;
      low = HexQuad();
    }
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else {
      if (!failed_) at_ = rewind;
      code = kReplacement;
    }
  }
  if (!failed()) AppendUtf8(out, code);
}

namespace {

/// A fast path for skipping common values: without errors, with only ASCII and no escapes in
/// strings, whole numbers, and little depth. May refuse any other value.
class PlainValue {
 public:
  static constexpr size_t kDepthMax = 64;

  PlainValue(const char* at, const char* end) : at_(at), end_(end) {}

  /// Behind the value that begins at `at`; null when it is refused.
  const char* End() {
    do {
      if (!Begin()) return nullptr;
      while (is_behind_ && depth_ > 0) {
        if (!Next()) return nullptr;
      }
    } while (depth_ > 0);
    return at_;
  }

 private:
  bool Take(char c) {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n')) ++at_;
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // Behind the quote that begins a string.
  bool Rest() {
    const char* const stop = FindPlainEnd(at_, end_);
    if (stop != nullptr) at_ = stop + 1;
    return stop != nullptr;
  }

  bool Key() { return Take('"') && Rest() && Take(':'); }

  // Passes a scalar or an empty container, or enters one at its first value.
  bool Begin() {
    is_behind_ = true;
    if (Take('"')) return Rest();
    if (Take('{')) return Take('}') || (Enter(true) && Key());
    if (Take('[')) return Take(']') || Enter(false);
    return Word("true") || Word("false") || Word("null") || WholeNumber();
  }

  bool Enter(bool is_object) {
    if (depth_ == kDepthMax) return false;
    objects_ = objects_ << 1U | (is_object ? 1U : 0U);
    ++depth_;
    is_behind_ = false;
    return true;
  }

  // Behind a value: on to the next one, or out.
  bool Next() {
    const bool is_object = (objects_ & 1U) != 0;
    if (Take(',')) {
      is_behind_ = false;
      return !is_object || Key();
    }
    objects_ >>= 1U;
    --depth_;
    return Take(is_object ? '}' : ']');
  }

  bool Word(std::string_view word) {
    const bool stands = std::string_view(at_, end_).starts_with(word);
    if (stands) at_ += word.size();
    return stands;
  }

  bool WholeNumber() {
    const char* const begin = at_;
    while (at_ != end_ && IsDigitAscii(*at_)) ++at_;
    const bool continues = at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E');
    return at_ != begin && !continues && (*begin != '0' || at_ == begin + 1);
  }

  const char* at_;
  const char* end_;
  uint64_t objects_ = 0;  // a bit for each container around: whether it is an object
  size_t depth_ = 0;
  bool is_behind_ = false;  // a value; else one must follow
};

}  // namespace

std::string_view JsonReader::Skip() {
  const JsonKind first = Peek();
  const char* const start = at_;
  if (depth_ + PlainValue::kDepthMax <= kDepthMax) {
    if (const char* const end = PlainValue(at_, end_).End(); end != nullptr) {
      at_ = end;
      return {start, static_cast<size_t>(at_ - start)};
    }
  }
  const size_t depth = depth_;
  std::vector<bool> in_object;
  std::string storage;
  std::string_view text;
  do {
    if (depth_ > depth) {  // inside: move to the next member, or out
      const bool more = in_object.back() ? NextKey(text) : NextElement();
      if (!more) {
        in_object.pop_back();
        continue;
      }
    }
    switch (Peek()) {
      case JsonKind::kNull: Null(); break;
      case JsonKind::kBool: Bool(); break;
      case JsonKind::kNumber: Number(); break;
      case JsonKind::kString: String(storage, text); break;
      case JsonKind::kArray:
        EnterArray();
        in_object.push_back(false);
        break;
      case JsonKind::kObject:
        EnterObject();
        in_object.push_back(true);
        break;
      case JsonKind::kInvalid: FailAt("looking for beginning of value"); break;
    }
  } while (!failed_ && depth_ > depth);
  if (failed_ || first == JsonKind::kInvalid) return {};
  return {start, static_cast<size_t>(at_ - start)};
}

bool JsonReader::Finish() {
  SkipBlanks();
  if (at_ != end_) FailAt("after top-level value");
  return !failed_;
}

bool IsUtf8(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    at = FindNonAscii(at, end);
    if (at == end) return true;
    const size_t size = LongUtf8Size({at, static_cast<size_t>(end - at)});
    if (size == 0) return false;
    at += size;
  }
}

}  // namespace dray::api::inline codec
