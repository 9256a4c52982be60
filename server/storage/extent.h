// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dray::server::storage {

/// How much a reader wants of large objects (storage::IsLarge).
enum class Extent : uint8_t { kWhole, kMetadataOfLarge };

}  // namespace dray::server::storage
