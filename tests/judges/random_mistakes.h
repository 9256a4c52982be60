// SPDX-License-Identifier: Apache-2.0
// Mistakes of users and drivers, one at a time.
#pragma once

#include <vector>

#include "api/resource_v1/claim.h"
#include "dray/features.h"
#include "tests/judges/chance.h"
#include "tests/judges/random_cluster.h"

namespace dray::judges {

/// Makes a selector fail on some device, which aborts the allocation if the search reaches the
/// device.
void MakeSelectorFail(Cluster& cluster,
                      std::vector<api::resource_v1::ResourceClaim>& claims,
                      Chance& chance);

/// Adds one mistake that the API server would reject, or that a switch forbids.
void MakeMistake(Cluster& cluster,
                 std::vector<api::resource_v1::ResourceClaim>& claims,
                 allocator::Features& features,
                 Chance& chance);

}  // namespace dray::judges
