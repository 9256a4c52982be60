// SPDX-License-Identifier: Apache-2.0
// Packing of texts that resemble each other: a text is kept as what it has in common with samples,
// and the bytes between.
//
// Objects of one kind are mostly the same bytes: names of fields and of their owners, images,
// attributes. A compressor that sees one object alone finds little of that in a kilobyte; this one
// looks into a dictionary of earlier objects (as zlib's deflateSetDictionary), and is quicker than
// a general one because it neither counts symbols nor looks further than the dictionary.
//
// A packed text is the size of the text, then groups of: the number of bytes that stand here, these
// bytes, the number of bytes to copy, and their place in the dictionary. Numbers are in base 128,
// the lowest digits first. The last group may lack the copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace dray {

/// Safe from any thread. What was packed can be unpacked as long as the dictionary exists.
class Dictionary {
 public:
  /// Limit of all samples together.
  static constexpr size_t kBytesMax = size_t{32} << 10U;
  /// Limit of one sample: of a longer text its beginning is taken.
  static constexpr size_t kSampleBytesMax = size_t{8} << 10U;
  /// So many texts that packed badly once the dictionary was full make it worn.
  static constexpr size_t kPoorMax = 1024;

  Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;
  ~Dictionary() = default;

  /// Appends `text` in packed form, at most a few bytes longer than it is. When less than half was
  /// saved and there is room, the text becomes a sample. O(size): some 1 ns a byte where it
  /// differs, less where it does not.
  void Pack(std::string_view text, std::string& out);
  /// Appends the text that Pack() of this dictionary was given. O(size).
  void Unpack(std::string_view packed, std::string& out) const;

  /// The texts no longer resemble the samples, so a new dictionary would do better: from now on
  /// Pack() finds nothing.
  bool is_worn() const;

 private:
  static constexpr size_t kSlotBits = 14;
  /// Every other place of a sample is looked up; copies begin where they can.
  static constexpr size_t kStride = 2;
  static constexpr size_t kSlots = size_t{1} << kSlotBits;
  using Slots = std::array<uint16_t, kSlots>;  // a place in the samples, plus one; 0: none

  static constexpr size_t kNowhere = SIZE_MAX;

  size_t Find(const char* at, size_t expected) const DRAY_REQUIRES(mutex_);
  void Learn(std::string_view text) DRAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  // Bytes that are there never change, so Unpack() reads them without the lock.
  const std::unique_ptr<char[]> samples_;  // NOLINT(modernize-avoid-c-arrays): stays where it is
  size_t size_ DRAY_GUARDED_BY(mutex_) = 0;
  size_t poor_ DRAY_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<Slots> slots_ DRAY_GUARDED_BY(mutex_);  // null: worn
};

}  // namespace dray
