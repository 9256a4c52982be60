// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/network.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/text/ascii.h"

namespace dray::custom::formats {
namespace {

// Numbers as large are too large for anything.
constexpr uint32_t kNumberMax = 0xFF'FFFF;

// Takes the digits that `text` begins with, any number of them; nothing if there are none, or for a
// number of kNumberMax or more.
std::optional<uint32_t> TakeNumber(std::string_view& text, uint32_t base) {
  uint32_t number = 0;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const int digit = HexValueAscii(text[at]);
    if (digit < 0 || digit >= static_cast<int>(base)) break;
    number = number * base + static_cast<uint32_t>(digit);
    if (number >= kNumberMax) return std::nullopt;
  }
  if (at == 0) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

bool IsV4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
    const std::optional<uint32_t> number = TakeNumber(text, 10);
    if (!number || *number > 0xFF) return false;
  }
  return text.empty();
}

constexpr size_t kV6Bytes = 16;

// Whether an address of IPv4 may end one of IPv6, after `bytes` bytes of it.
bool EndsInV4(std::string_view text, size_t bytes, bool has_gap) {
  const bool has_room = has_gap ? bytes + 4 < kV6Bytes : bytes + 4 == kV6Bytes;
  return has_room && IsV4(text);
}

// Go's parser of IPv6 addresses before netip: groups may have any number of zeros before them.
bool IsV6(std::string_view text) {
  bool has_gap = text.starts_with("::");
  if (has_gap) text.remove_prefix(2);
  if (has_gap && text.empty()) return true;
  for (size_t bytes = 0; bytes < kV6Bytes;) {
    const std::string_view before = text;
    const std::optional<uint32_t> group = TakeNumber(text, 16);
    if (!group || *group > 0xFFFF) return false;
    if (text.starts_with('.')) return EndsInV4(before, bytes, has_gap);
    bytes += 2;
    if (text.empty()) return has_gap ? bytes < kV6Bytes : bytes == kV6Bytes;
    if (!text.starts_with(':') || text.size() == 1) return false;
    text.remove_prefix(1);
    if (!text.starts_with(':')) continue;
    if (has_gap) return false;
    has_gap = true;
    text.remove_prefix(1);
    if (text.empty()) return bytes < kV6Bytes;
  }
  return false;
}

bool IsAddress(std::string_view text) {
  const size_t mark = text.find_first_of(".:");
  if (mark == std::string_view::npos) return false;
  return text[mark] == '.' ? IsV4(text) : IsV6(text);
}

// `bytes` in groups of `digits` hexadecimal digits, with a mark between them.
bool IsInGroups(std::string_view text, size_t digits, char mark) {
  const size_t stride = digits + 1;
  if ((text.size() + 1) % stride != 0) return false;
  const size_t bytes = (text.size() + 1) / stride * (digits / 2);
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool is_mark = at % stride == digits;
    if (is_mark ? text[at] != mark : HexValueAscii(text[at]) < 0) return false;
  }
  return true;
}

}  // namespace

bool IsIpv4(std::string_view text) {
  return text.find('.') != std::string_view::npos && IsAddress(text);
}

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  std::string_view bits = text.substr(slash + 1);
  const bool is_v4 = IsV4(address);
  if (!is_v4 && !IsV6(address)) return false;
  const std::optional<uint32_t> number = TakeNumber(bits, 10);
  return number && bits.empty() && *number <= (is_v4 ? 32U : 128U);
}

bool IsMac(std::string_view text) {
  constexpr size_t kShortest = 14;
  if (text.size() < kShortest) return false;
  if (text[2] == ':' || text[2] == '-') return IsInGroups(text, 2, text[2]);
  return text[4] == '.' && IsInGroups(text, 4, '.');
}

}  // namespace dray::custom::formats
