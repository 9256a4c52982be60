// SPDX-License-Identifier: Apache-2.0
// Whether two devices are alike in all but their names.
#pragma once

#include <cstdint>

#include "api/resource_v1/slice.h"

namespace dray::allocator::snapshot {

/// In everything the allocator, an expression or a result can tell: amounts written differently
/// (1Gi, 1024Mi) are different, and so is an empty list where there was none.
bool SameButName(const api::resource_v1::Device& a, const api::resource_v1::Device& b);
/// Equal for devices that are.
uint64_t HashButName(const api::resource_v1::Device& device);

}  // namespace dray::allocator::snapshot
