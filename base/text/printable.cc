// SPDX-License-Identifier: Apache-2.0
#include "base/text/printable.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace dray::inline text {
namespace {

struct Range {
  char32_t first, last;
};
/// Controls, Unicode's format characters (Cf), line and paragraph separators (Zl, Zp), and letters
/// without a glyph. Sorted.
constexpr std::array kHidden = {
    Range{0x00, 0x1F},       Range{0x7F, 0x9F},       Range{0xAD, 0xAD},
    Range{0x34F, 0x34F},     Range{0x600, 0x605},     Range{0x61C, 0x61C},
    Range{0x6DD, 0x6DD},     Range{0x70F, 0x70F},     Range{0x890, 0x891},
    Range{0x8E2, 0x8E2},     Range{0x115F, 0x1160},   Range{0x17B4, 0x17B5},
    Range{0x180B, 0x180F},   Range{0x200B, 0x200F},   Range{0x2028, 0x202E},
    Range{0x2060, 0x206F},   Range{0x3164, 0x3164},   Range{0xFE00, 0xFE0F},
    Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},   Range{0xFFF0, 0xFFFB},
    Range{0x110BD, 0x110BD}, Range{0x110CD, 0x110CD}, Range{0x13430, 0x1345F},
    Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF},
};

bool IsHidden(char32_t letter) {
  const auto* const after = std::ranges::upper_bound(kHidden, letter, {}, &Range::first);
  return after != kHidden.begin() && letter <= std::prev(after)->last;
}

/// The first character of a text.
struct CodePoint {
  char32_t value = 0;
  size_t length = 0;  // in bytes; 0: it is not UTF-8
};

CodePoint CodePointAt(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return {.value = byte(0), .length = 1};
  const size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return {};
  char32_t value = byte(0) & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kFirstOfLength = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kFirstOfLength.at(length) || is_surrogate || value > 0x10FFFF) return {};
  return {.value = value, .length = length};
}

std::string Escape(CodePoint letter, char byte, HiddenAs how) {
  const auto value = static_cast<uint32_t>(letter.value);
  if (how == HiddenAs::kJson) {
    if (letter.length == 0) return "\\ufffd";
    if (value < 0x10000) return fmt::format("\\u{:04x}", value);
    const uint32_t above = value - 0x10000;
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (above >> 10U), 0xDC00 + (above & 0x3FFU));
  }
  if (letter.length <= 1) return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return value < 0x10000 ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

bool IsPlain(char c) {
  return c >= 0x20 && c < 0x7F;
}

}  // namespace

std::string Printable(std::string_view text, HiddenAs how) {
  if (std::ranges::all_of(text, IsPlain)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint letter = CodePointAt(text);
    const size_t length = std::max<size_t>(1, letter.length);
    if (letter.length == 0 || IsHidden(letter.value)) {
      out += Escape(letter, text.front(), how);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

bool HasHidden(std::string_view text) {
  while (!text.empty()) {
    const CodePoint first = CodePointAt(text);
    if (first.length == 0 || (IsHidden(first.value) && first.value != '\n')) return true;
    text.remove_prefix(first.length);
  }
  return false;
}

std::string PrintableJson(std::string_view json) {
  std::string shown;
  for (size_t begin = 0; begin <= json.size();) {
    const size_t end = std::min(json.find('\n', begin), json.size());
    shown += Printable(json.substr(begin, end - begin), HiddenAs::kJson);
    if (end < json.size()) shown += '\n';
    begin = end + 1;
  }
  return shown;
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  while (true) {
    size_t end = text.find('\n');
    const auto continues = [&] {
      const std::string_view next = text.substr(end + 1);
      return next.starts_with(" | ") || next.starts_with("ERROR: <input>:");
    };
    while (end != std::string_view::npos && !continues()) end = text.find('\n', end + 1);
    out += Printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace dray::inline text
