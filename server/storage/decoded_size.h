// SPDX-License-Identifier: Apache-2.0
// How much memory an object takes once it is decoded. A few bytes on the wire can ask for large
// structs ([{},{},…]), so what is stored decoded is counted, too.
#pragma once

#include <cstddef>

#include "api/object.h"

namespace dray::server::storage {

/// Decoded objects that take no more than this beside their own struct are no bother.
inline constexpr size_t kSmallDecodedBytes = size_t{8} << 10;
/// Beyond that, so many bytes for each byte of the durable form. Slices of devices and pods take
/// four or five.
inline constexpr size_t kDecodedBytesPerStored = 8;

/// Bytes that `object` takes, about: elements of lists and maps, long texts, and its struct. Stops
/// counting at `limit`, and so costs O(limit) at most.
size_t DecodedBytes(const api::Object& object, size_t limit);

/// Whether `object` takes much more than its durable form of `stored_bytes`, so that it is better
/// decoded again when somebody asks than kept.
bool IsBulky(const api::Object& object, size_t stored_bytes);

}  // namespace dray::server::storage
