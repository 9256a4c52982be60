// SPDX-License-Identifier: Apache-2.0
#include "api/json_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::api {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

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

void JsonReader::Whitespace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    ++at_;
  }
}

void JsonReader::FailAt(std::string_view what) {
  if (failed()) return;
  if (at_ >= text_.size()) {
    error_ = "unexpected end of JSON input";
  } else {
    const auto c = static_cast<unsigned char>(text_[at_]);
    const std::string shown = c == '\''               ? "'\\''"
                              : c < 0x20 || c >= 0x7F ? fmt::format("'\\x{:02x}'", c)
                                                      : fmt::format("'{}'", static_cast<char>(c));
    error_ = fmt::format("invalid character {} {}", shown, what);
  }
}

Error JsonReader::error() const {
  const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {.reason = StatusReason::kBadRequest,
          .message = fmt::format(
              "json: line {}, column {}: {}", line, before.size() - line_start + 1, error_)};
}

JsonKind JsonReader::Peek() {
  if (failed()) return JsonKind::kInvalid;
  Whitespace();
  if (at_ >= text_.size()) return JsonKind::kInvalid;
  switch (text_[at_]) {
    case '{': return JsonKind::kObject;
    case '[': return JsonKind::kArray;
    case '"': return JsonKind::kString;
    case 't':
    case 'f': return JsonKind::kBool;
    case 'n': return JsonKind::kNull;
    default:
      return text_[at_] == '-' || IsDigit(text_[at_]) ? JsonKind::kNumber : JsonKind::kInvalid;
  }
}

bool JsonReader::Take(char expected, std::string_view after) {
  if (failed()) return false;
  Whitespace();
  if (at_ >= text_.size() || text_[at_] != expected) {
    FailAt(after);
    return false;
  }
  ++at_;
  return true;
}

bool JsonReader::Push() {
  if (fresh_.size() >= kDepthMax) {
    error_ = "exceeded max depth";
    return false;
  }
  fresh_.push_back(true);
  return true;
}

bool JsonReader::EnterObject() {
  return Take('{', "looking for beginning of value") && Push();
}

bool JsonReader::EnterArray() {
  return Take('[', "looking for beginning of value") && Push();
}

// True when a member stands next: passes the comma before it, or leaves the container at `close`.
bool JsonReader::Separator(char close) {
  if (failed()) return false;
  Whitespace();
  if (at_ < text_.size() && text_[at_] == close) {
    ++at_;
    fresh_.pop_back();
    return false;
  }
  if (fresh_.back()) {
    fresh_.back() = false;
    return true;
  }
  return Take(',', close == '}' ? "after object key:value pair" : "after array element");
}

bool JsonReader::NextKey(std::string& key) {
  if (!Separator('}')) return false;
  Whitespace();
  if (at_ >= text_.size() || text_[at_] != '"') {
    FailAt("looking for beginning of object key string");
    return false;
  }
  String(key);
  return Take(':', "after object key");
}

bool JsonReader::NextElement() {
  if (!Separator(']')) return false;
  if (Peek() == JsonKind::kInvalid) {
    FailAt("looking for beginning of value");
    return false;
  }
  return true;
}

bool JsonReader::Literal(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) {
    FailAt("looking for beginning of value");
    return false;
  }
  at_ += word.size();
  return true;
}

bool JsonReader::Bool() {
  if (Peek() != JsonKind::kBool) {
    FailAt("looking for a boolean");
    return false;
  }
  if (text_[at_] == 't') return Literal("true");
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
  const size_t start = at_;
  const auto digits = [&](std::string_view where) {
    if (at_ >= text_.size() || !IsDigit(text_[at_])) FailAt(where);
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
  };
  if (text_[at_] == '-') ++at_;
  if (at_ < text_.size() && text_[at_] == '0') {
    ++at_;
  } else {
    digits("in numeric literal");
  }
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    digits("after decimal point in numeric literal");
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    digits("in exponent of numeric literal");
  }
  if (at_ < text_.size() && IsDigit(text_[at_])) FailAt("after a leading zero in numeric literal");
  return failed() ? std::string_view() : text_.substr(start, at_ - start);
}

void JsonReader::String(std::string& out) {
  out.clear();
  if (!Take('"', "looking for beginning of string")) return;
  while (!failed()) {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    const std::string_view run = text_.substr(start, at_ - start);
    if (!IsUtf8(run)) {
      at_ = start;
      error_ = "invalid UTF-8 in string";
      return;
    }
    out += run;
    if (at_ >= text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) {
      FailAt("in string literal");
      return;
    }
    if (text_[at_++] == '"') return;
    Escape(out);
  }
}

uint32_t JsonReader::HexQuad() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    code <<= 4U;
    if (IsDigit(c)) {
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
  const char c = at_ < text_.size() ? text_[at_] : '\0';
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
    const size_t rewind = at_;
    if (code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      low = HexQuad();
    }
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else {
      if (!failed()) at_ = rewind;
      code = kReplacement;
    }
  }
  if (!failed()) AppendUtf8(out, code);
}

std::string_view JsonReader::Skip() {
  const JsonKind first = Peek();
  const size_t start = at_;
  const size_t depth = fresh_.size();
  std::vector<bool> in_object;
  std::string scratch;
  do {
    if (fresh_.size() > depth) {  // inside: move to the next member, or out
      const bool more = in_object.back() ? NextKey(scratch) : NextElement();
      if (!more) {
        in_object.pop_back();
        continue;
      }
    }
    switch (Peek()) {
      case JsonKind::kNull: Null(); break;
      case JsonKind::kBool: Bool(); break;
      case JsonKind::kNumber: Number(); break;
      case JsonKind::kString: String(scratch); break;
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
  } while (!failed() && fresh_.size() > depth);
  if (failed() || first == JsonKind::kInvalid) return {};
  return text_.substr(start, at_ - start);
}

bool JsonReader::Finish() {
  if (failed()) return false;
  Whitespace();
  if (at_ < text_.size()) FailAt("after top-level value");
  return !failed();
}

namespace {

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

}  // namespace

bool IsUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const size_t size = LongUtf8Size(text.substr(at));
    if (size == 0) return false;
    at += size;
  }
  return true;
}

}  // namespace dray::api
