// SPDX-License-Identifier: Apache-2.0
// How much memory an object takes once it is decoded. A few bytes on the wire can become large
// structs ([{},{},…]), so the memory of decoded objects is counted as well.
#pragma once

#include <cstddef>

#include "api/object.h"

namespace dray::server::storage {

/// An object that takes no more than this beside its own struct is never bulky.
inline constexpr size_t kSmallDecodedBytes = size_t{8} << 10;
/// A larger object is bulky if it takes more bytes than this for each byte of its durable form.
/// ResourceSlices and pods take four or five.
inline constexpr size_t kDecodedBytesPerStored = 8;

/// An estimate of the bytes that `object` takes: its struct, elements of lists and maps, and long
/// texts. Stops counting at `limit`, and so costs O(limit) at most.
size_t DecodedBytes(const api::Object& object, size_t limit);

/// Whether `object` takes much more memory than its durable form of `stored_bytes`, so that it is
/// decoded again for each reader instead of kept.
bool IsBulky(const api::Object& object, size_t stored_bytes);

}  // namespace dray::server::storage
