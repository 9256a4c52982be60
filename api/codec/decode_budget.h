// SPDX-License-Identifier: Apache-2.0
// DecodeBudget: a limit to the memory that decoding takes. A few bytes of a document can ask for
// large structs ([{},{},…]). Objects from the store have no limit: they take the memory that the
// same object took when it was written, and a limit based on the stored bytes could make them
// unreadable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "api/kind.h"
#include "api/reflect.h"

namespace dray::api::inline codec {

/// Bytes of list elements and map entries that any document may decode to.
inline constexpr size_t kDecodedBytesMin = 16U << 20U;
/// Longer documents may use more: this many times their length.
inline constexpr size_t kDecodedBytesPerByte = 64;
/// The same for objects that are converted, of which two copies exist at a time.
inline constexpr size_t kConvertedBytesPerByte = 28;

/// Whether objects of the kind are converted to another kind before they are stored.
inline bool IsConverted(const KindInfo& kind) {
  return &kind.storage() != &kind;
}

/// Lists and maps of at least this many elements count as long.
inline constexpr size_t kManyElements = 4096;

/// Counts the elements of one document, but not their texts, which are no longer than the document.
class DecodeBudget {
 public:
  DecodeBudget(size_t input, Wire wire, bool is_converted)
      : left_(wire.stored ? std::numeric_limits<size_t>::max()
                          : kDecodedBytesMin + PerByte(is_converted) * input),
        spare_(16 * input) {}

  /// Counts one more element of `size` bytes; false when that is too much.
  bool Spend(size_t size) {
    if (size > left_) return false;
    left_ -= size;
    return true;
  }

  /// Reserves room for elements that were counted. Elements that do not come are not charged.
  void Reserve(const Type& container, void* value, size_t count) {
    container.container->reserve(value, std::min(count, 1 + left_ / container.element().size));
  }

  /// A list or map has got kManyElements from `read` bytes, and `left` bytes are to come; an entry
  /// of it takes `size` bytes. Reserves room for the possible rest, because growing step by step
  /// takes three times the memory of long lists. A sixteenth more is for the entry that was begun
  /// and for shorter ones to come.
  void ReserveRest(const Type& container, void* value, size_t size, size_t read, size_t left) {
    const size_t bytes = std::max<size_t>(1, read / kManyElements);
    const size_t rest = left / bytes;
    const size_t more = std::min(rest + rest / 16 + 1, 1 + left_ / size);
    container.container->reserve(value, kManyElements + more);
  }

  /// Reserves room according to the previous sibling, because lists and maps in the elements of a
  /// list tend to have the same size. A document gets little room that it does not fill.
  void ReserveAsBefore(const Type& container, void* value) {
    const Guess& guess = guesses_[SlotOf(container)];
    const size_t bytes = guess.size * container.element().size;
    if (guess.type != &container || bytes > spare_) return;
    spare_ -= bytes;
    container.container->reserve(value, guess.size);
  }
  /// Notes the final size of a list or map.
  void Remember(const Type& container, size_t size) {
    if (size > 1) guesses_[SlotOf(container)] = {&container, size};
  }

 private:
  struct Guess {
    const Type* type = nullptr;
    size_t size = 0;
  };

  static size_t PerByte(bool is_converted) {
    return is_converted ? kConvertedBytesPerByte : kDecodedBytesPerByte;
  }

  static size_t SlotOf(const Type& container) {
    return reinterpret_cast<uintptr_t>(&container) / sizeof(Type) % 16;
  }

  size_t left_;
  size_t spare_;
  std::array<Guess, 16> guesses_ = {};
};

}  // namespace dray::api::inline codec
