// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_text.h"

#include <array>

namespace dray::inline text {
namespace {

constexpr size_t kAsciiCount = 0x80;
using UnicodeEscape = std::array<char, 6>;  // "\u003c"

constexpr auto kUnicodeEscapes = [] {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<UnicodeEscape, kAsciiCount> escapes = {};
  for (size_t c = 0; c < kAsciiCount; ++c)
    escapes[c] = {'\\', 'u', '0', '0', kHex[c >> 4U], kHex[c & 0xFU]};
  return escapes;
}();

std::string_view ShortEscape(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return {};
  }
}

// U+2028 and U+2029 end lines in JavaScript.
std::string_view LineSeparatorAt(std::string_view rest) {
  if (rest.starts_with("\xE2\x80\xA8")) return "\\u2028";
  return rest.starts_with("\xE2\x80\xA9") ? "\\u2029" : "";
}

}  // namespace

JsonEscape JsonEscapeAt(std::string_view rest, JsonEscapes escapes) {
  const char c = rest.front();
  if (const std::string_view escape = ShortEscape(c); !escape.empty()) return {.text = escape};
  const bool is_web = escapes == JsonEscapes::kWeb;
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || (is_web && (c == '<' || c == '>' || c == '&'))) {
    const UnicodeEscape& escape = kUnicodeEscapes.at(byte);
    return {.text = {escape.data(), escape.size()}};
  }
  if (const std::string_view line = LineSeparatorAt(rest); is_web && !line.empty())
    return {.text = line, .length = 3};
  return {};
}

void AppendJsonString(std::string_view text, JsonEscapes escapes, std::string& out) {
  const char* const first = text.data();
  const char* const end = first + text.size();
  if (FindEscaped(first, end) == end) {  // most texts: one piece
    const size_t begin = out.size() + 1;
    const size_t size = begin + text.size() + 1;
    out.resize_and_overwrite(size, [&](char* to, size_t) {  // libstdc++ 12 passes the capacity
      to[begin - 1] = '"';
      text.copy(to + begin, text.size());
      to[size - 1] = '"';
      return size;
    });
    return;
  }
  out += '"';
  EscapeJson(text, escapes, [&](std::string_view piece) { out += piece; });
  out += '"';
}

}  // namespace dray::inline text
