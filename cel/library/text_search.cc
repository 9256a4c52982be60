// SPDX-License-Identifier: Apache-2.0
#include "cel/library/text_search.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/work.h"
#include "cel/syntax/utf8.h"

namespace dray::cel::library {
namespace {

// Up to so many bytes the plain search backwards is linear enough, and needs no memory.
constexpr size_t kPlainMax = 16;

// By length of an end of `wanted`: the longest shorter end of it that it begins with, so that the
// search from the right continues there.
std::vector<uint32_t> OverlapsOf(std::string_view wanted) {
  std::vector<uint32_t> overlaps(wanted.size() + 1, 0);
  const auto from_end = [wanted](size_t i) { return wanted[wanted.size() - 1 - i]; };
  size_t length = 0;
  for (size_t i = 1; i < wanted.size(); ++i) {
    while (length > 0 && from_end(length) != from_end(i)) length = overlaps[length];
    if (from_end(length) == from_end(i)) ++length;
    overlaps[i + 1] = static_cast<uint32_t>(length);
  }
  return overlaps;
}

}  // namespace

size_t FindFirst(std::string_view text, std::string_view wanted, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (wanted.empty()) return from;
  // The standard library's search is quadratic.
  const void* const found =
      memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

size_t FindLast(std::string_view text, std::string_view wanted, size_t from) {
  if (wanted.size() <= kPlainMax) return text.rfind(wanted, from);
  if (wanted.size() > text.size()) return std::string_view::npos;
  const size_t end = std::min(from, text.size() - wanted.size()) + wanted.size();
  const std::vector<uint32_t> overlaps = OverlapsOf(wanted);
  size_t length = 0;  // of the end of `wanted` that is found at `at`
  for (size_t at = end; at-- > 0;) {
    while (length > 0 && wanted[wanted.size() - 1 - length] != text[at]) length = overlaps[length];
    if (wanted[wanted.size() - 1 - length] == text[at]) ++length;
    if (length == wanted.size()) return at;
  }
  return std::string_view::npos;
}

uint64_t WorkOfSearching(std::string_view text, std::string_view wanted) {
  return WorkOfReading((text.size() + wanted.size()) / 2);
}

uint64_t WorkOfCounting(std::string_view text) {
  constexpr size_t kShort = 64;  // not worth a look
  if (text.size() <= kShort) return WorkOfBytes(text.size());
  return syntax::IsAscii(text) ? WorkOfBytes(text.size()) : WorkOfReading(text.size());
}

}  // namespace dray::cel::library
