// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/utf8.h"

#include <algorithm>
#include <cstring>

namespace dray::cel::syntax {

CodePoint DecodeUtf8(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {.value = first, .width = 1, .valid = true};
  const uint8_t width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - offset < width) return {};
  char32_t value = first & (0x7Fu >> width);
  for (uint8_t i = 1; i < width; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (width == 3 && value < 0x800) || (width == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {.value = value, .width = width, .valid = true};
}

bool IsValidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    if (!point.valid) return false;
    at += point.width;
  }
  return true;
}

// The last eight bytes may overlap those before.
bool IsAscii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  constexpr size_t kWord = sizeof(uint64_t);
  const auto word_at = [&](size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, kWord);
    return word;
  };
  uint64_t seen = 0;
  if (text.size() >= kWord) {
    for (size_t at = 0; at + kWord <= text.size(); at += kWord) seen |= word_at(at);
    seen |= word_at(text.size() - kWord);
  } else {
    for (const char c : text) seen |= static_cast<unsigned char>(c);
  }
  return (seen & kHighBits) == 0;
}

size_t CountCodePoints(std::string_view text) {
  if (IsAscii(text)) return text.size();
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += DecodeUtf8(text, at).width;
  return count;
}

size_t OffsetOfCodePoint(std::string_view text, size_t index) {
  if (IsAscii(text)) return std::min(index, text.size());
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += DecodeUtf8(text, at).width;
  return at;
}

void AppendUtf8(std::string& out, char32_t value) {
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6));
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

}  // namespace dray::cel::syntax
