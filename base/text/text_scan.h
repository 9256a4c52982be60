// SPDX-License-Identifier: Apache-2.0
// Finding the few bytes of a text that need attention (quotes, backslashes, non-ASCII), sixteen at
// a time, and copying and comparing short texts: the inner loops of the codecs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace dray::inline text {

/// Sixteen bytes that are compared in one step; the compiler picks the machine's instructions.
using ByteBlock = signed char __attribute__((vector_size(16)));

/// The first bytes of `from` as a number.
template <class Word>
inline Word LoadWord(const char* from) {
  Word word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

/// Two words as one block, without a detour through memory.
inline ByteBlock BlockOf(uint64_t low, uint64_t high) {
  using Words = uint64_t __attribute__((vector_size(16)));
  return std::bit_cast<ByteBlock>(Words{low, high});
}

/// The index of the first byte that `marks` has all bits of; 16 or more if there is none.
inline int FirstMark(const ByteBlock& marks) {
#ifdef __SSE2__
  return std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(std::bit_cast<__m128i>(marks))));
#else
  const auto words = std::bit_cast<std::array<uint64_t, 2>>(marks);
  return words[0] != 0 ? std::countr_zero(words[0]) / 8 : 8 + std::countr_zero(words[1]) / 8;
#endif
}

/// Asks `is_special` about fewer than sixteen bytes; those in the middle may be asked about twice.
template <class F>
inline const char* FindByteOfFew(const char* at, size_t size, F&& is_special) {
  constexpr uint64_t kNobodys = 0x7878787878787878;  // "xxxxxxxx": never special
  const char* const end = at + size;
  const auto first_of = [&](uint64_t low, uint64_t high) {
    return FirstMark(is_special(BlockOf(low, high)));
  };
  if (size >= 8) {
    const int first = first_of(LoadWord<uint64_t>(at), LoadWord<uint64_t>(end - 8));
    if (first >= 16) return end;
    return first < 8 ? at + first : end - 16 + first;
  }
  if (size >= 4) {
    const uint64_t tail = LoadWord<uint32_t>(end - 4);
    const int first = first_of(LoadWord<uint32_t>(at) | tail << 32U, kNobodys);
    if (first >= 16) return end;
    return first < 4 ? at + first : end - 8 + first;
  }
  uint64_t word = kNobodys;
  for (size_t i = 0; i < size; ++i)
    word = word << 8U | static_cast<unsigned char>(end[-1 - static_cast<std::ptrdiff_t>(i)]);
  const int first = first_of(word, kNobodys);
  return first >= 16 ? end : at + first;
}

/// The first byte in [at, end) that `is_special` marks, or `end`. It is asked with blocks and must
/// answer with a block whose bytes have all bits where one is special, else none; an x must not be.
template <class F>
inline const char* FindByte(const char* at, const char* end, F&& is_special) {
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  ByteBlock bytes;
  for (; end - at >= 16; at += 16) {
    std::memcpy(&bytes, at, 16);
    if (const int first = FirstMark(is_special(bytes)); first < 16) return at + first;
  }
  return FindByteOfFew(at, static_cast<size_t>(end - at), is_special);
}

/// The first byte that ends a run of plain ASCII in a JSON string: a quote, a backslash, a control
/// character, or the beginning of a longer UTF-8 sequence.
inline const char* FindEndOfPlain(const char* at, const char* end) {
  return FindByte(at, end, [](const ByteBlock& b) {
    return static_cast<ByteBlock>((b < 0x20) | (b == '"') | (b == '\\'));  // signed: 0x80 … are < 0
  });
}

/// The quote that ends a plain string, or null when something else ends the run of plain ASCII.
inline const char* FindPlainEnd(const char* at, const char* end) {
  ByteBlock bytes;
  for (; end - at >= 16; at += 16) {
    std::memcpy(&bytes, at, 16);
    const int quote = FirstMark(bytes == '"');
    const int other = FirstMark((bytes < 0x20) | (bytes == '\\'));
    if (quote < other) return at + quote;
    if (other < 16) return nullptr;
  }
  const char* const stop = FindEndOfPlain(at, end);
  return stop != end && *stop == '"' ? stop : nullptr;
}

/// Marks what JSON of Kubernetes may not show as it is: the bytes above, `<`, `>` and `&`.
inline ByteBlock MarkEscaped(const ByteBlock& b) {
  // One bit apart: < and >, & and the quote.
  return static_cast<ByteBlock>((b < 0x20) | ((b | 2) == '>') | ((b | 4) == '&') | (b == '\\'));
}

/// The first byte that MarkEscaped marks.
inline const char* FindEscaped(const char* at, const char* end) {
  return FindByte(at, end, MarkEscaped);
}

/// The first byte that is not ASCII.
inline const char* FindNonAscii(const char* at, const char* end) {
  return FindByte(at, end, [](const ByteBlock& b) { return static_cast<ByteBlock>(b < 0); });
}

/// Copies `size` bytes and says whether MarkEscaped marks none of them, in one pass. When it marks
/// one, what was written to `to` is of no use.
inline bool CopyUnlessEscaped(char* to, const char* from, size_t size) {
  const auto copy = [&]<class Word>(Word word, size_t at) {
    std::memcpy(&word, from + at, sizeof word);
    std::memcpy(to + at, &word, sizeof word);
    return word;
  };
  ByteBlock marks = {};
  if (size >= 16) {
    for (size_t at = 0; at < size - 16; at += 16) marks |= MarkEscaped(copy(ByteBlock{}, at));
    marks |= MarkEscaped(copy(ByteBlock{}, size - 16));  // some of it once more
  } else if (size >= 8) {
    const uint64_t head = copy(uint64_t{}, 0);
    marks = MarkEscaped(BlockOf(head, copy(uint64_t{}, size - 8)));
  } else if (size >= 4) {
    const uint64_t head = copy(uint32_t{}, 0);
    const uint64_t both = head | uint64_t{copy(uint32_t{}, size - 4)} << 32U;
    marks = MarkEscaped(BlockOf(both, both));
  } else {
    constexpr uint64_t kPlain = 0x7878787878787878;  // "xxxxxxxx"
    uint64_t word = kPlain;
    for (size_t i = 0; i < size; ++i) {
      to[i] = from[i];
      word = word << 8U | static_cast<unsigned char>(from[i]);
    }
    marks = MarkEscaped(BlockOf(word, kPlain));
  }
  return FirstMark(marks) >= 16;
}

}  // namespace dray::inline text
