// SPDX-License-Identifier: Apache-2.0
// Claims that hold the devices which are taken in a problem.
#pragma once

#include <vector>

#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"

namespace dray::judges {

/// Claims that together hold everything that is taken, one device or share each.
std::vector<Frozen<api::resource_v1::ResourceClaim>> HoldersOf(
    const allocator::AllocatedState& state);

}  // namespace dray::judges
