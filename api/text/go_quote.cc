// SPDX-License-Identifier: Apache-2.0
#include "api/text/go_quote.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace dray::api::inline text {
namespace {

struct Range {
  char32_t first, last;
};
// Blanks, format characters, surrogates, private use, and code points that are no characters.
constexpr auto kUnprintable = std::to_array<Range>({
    {0x00, 0x1f},     {0x7f, 0xa0},     {0xad, 0xad},     {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},   {0x70f, 0x70f},   {0x1680, 0x1680}, {0x180e, 0x180e},   {0x2000, 0x200f},
    {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000}, {0xd800, 0xf8ff},   {0xfdd0, 0xfdef},
    {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
});

bool IsPrintable(char32_t c) {
  for (const Range& range : kUnprintable) {
    if (c >= range.first && c <= range.last) return false;
  }
  return true;
}

struct Decoded {
  char32_t code;
  size_t size;  // 0: not UTF-8
};

Decoded DecodeUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.code = lead, .size = 1};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {.code = 0, .size = 0};
  char32_t code = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {.code = 0, .size = 0};
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[size] || code > 0x10ffff || surrogate) return {.code = 0, .size = 0};
  return {.code = code, .size = size};
}

char ShortEscape(char32_t c) {
  switch (c) {
    case '\a': return 'a';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\v': return 'v';
    case '\\': return '\\';
    case '"': return '"';
    default: return 0;
  }
}

}  // namespace

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Decoded c = DecodeUtf8(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool valid = c.size != 0;
    const size_t size = valid ? c.size : 1;
    if (const char escape = valid ? ShortEscape(c.code) : '\0'; escape != 0) {
      out.append({'\\', escape});
    } else if (valid && IsPrintable(c.code)) {
      out.append(text.substr(0, size));
    } else if (!valid || c.code < 0x80) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else if (c.code <= 0xffff) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c.code));
    } else {
      fmt::format_to(std::back_inserter(out), "\\U{:08x}", static_cast<uint32_t>(c.code));
    }
    text.remove_prefix(size);
  }
  out += '"';
  return out;
}

size_t FindUnprintable(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Decoded c = DecodeUtf8(text.substr(at));
    if (c.size != 0 && !IsPrintable(c.code)) return at;
    at += c.size == 0 ? 1 : c.size;
  }
  return std::string_view::npos;
}

}  // namespace dray::api::inline text
