// SPDX-License-Identifier: Apache-2.0
// Whether two devices are alike in all but their names.
#pragma once

#include <cstdint>

#include "api/resource_v1/slice.h"

namespace dray::allocator::snapshot {

/// Equal in everything that the allocator, an expression or a result can show: amounts written
/// differently (1Gi, 1024Mi) are different, and so are an empty list and an absent one.
bool SameButName(const api::resource_v1::Device& a, const api::resource_v1::Device& b);
/// Equal for devices that are.
uint64_t HashButName(const api::resource_v1::Device& device);

}  // namespace dray::allocator::snapshot
