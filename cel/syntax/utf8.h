// SPDX-License-Identifier: Apache-2.0
// UTF-8 by code points, the unit in which CEL counts, indexes and slices strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dray::cel::syntax {

struct CodePoint {
  char32_t value = 0;
  uint8_t width = 1;  // bytes; 1 for a byte that starts no character
  bool valid = false;
};

/// The character that starts at `offset` < text.size(). Overlong forms, surrogates and values above
/// U+10FFFF are invalid (RFC 3629).
CodePoint DecodeUtf8(std::string_view text, size_t offset);

bool IsValidUtf8(std::string_view text);

/// Looks at eight bytes at a time.
bool IsAscii(std::string_view text);

/// Characters in `text`; each invalid byte counts as one.
size_t CountCodePoints(std::string_view text);

/// Byte offset of the character with this index; text.size() for the index after the last.
size_t OffsetOfCodePoint(std::string_view text, size_t index);

void AppendUtf8(std::string& out, char32_t value);

}  // namespace dray::cel::syntax
