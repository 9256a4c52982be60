// SPDX-License-Identifier: Apache-2.0
// The members of a struct that its document has.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "api/reflect.h"

namespace dray::api::inline codec {

/// Whether `member`, of a field that is not simply left out when empty, is left out in `release`.
bool IsOmitted(const Field& field, const void* member, bool is_filled, Release release);

/// Bit i is set if fields[i] of `value`, a struct of `type`, stands in its document; an inlined
/// one counts as standing there. O(fields).
inline uint64_t WrittenMembers(const Type& type, const void* value, Wire wire) {
  const uint64_t filled = type.fields.empty() ? 0 : type.filled(value);
  uint64_t written = filled | type.always;
  for (uint64_t left = written; left != 0; left &= left - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(left));
    const Field& field = type.fields[index];
    const bool is_filled = (filled >> index & 1U) != 0;
    const bool is_left_out = (!field.usual && !field.IsOn(wire)) ||
                             (!field.facets.inlined && !field.left_out &&
                              IsOmitted(field, field.of(value), is_filled, wire.release));
    if (is_left_out) written &= ~(uint64_t{1} << index);
  }
  return written;
}

}  // namespace dray::api::inline codec
