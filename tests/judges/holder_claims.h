// SPDX-License-Identifier: Apache-2.0
// Claims of others, to whom what is taken of a problem's devices belongs.
#pragma once

#include <vector>

#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "dray/allocated_state.h"

namespace dray::judges {

/// Claims that together have what is taken, a device or share each.
std::vector<Frozen<api::resource_v1::ResourceClaim>> HoldersOf(
    const allocator::AllocatedState& state);

}  // namespace dray::judges
