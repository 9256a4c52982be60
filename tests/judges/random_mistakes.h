// SPDX-License-Identifier: Apache-2.0
// What people and drivers get wrong, one mistake at a time.
#pragma once

#include <vector>

#include "api/resource_v1/claim.h"
#include "dray/features.h"
#include "tests/judges/chance.h"
#include "tests/judges/random_cluster.h"

namespace dray::judges {

/// Makes a selector fail on some device: the allocation is aborted if the search gets there.
void MakeSelectorFail(Cluster& cluster,
                      std::vector<api::resource_v1::ResourceClaim>& claims,
                      Chance& chance);

/// One invalid thing that the API server would have refused, or that a switch forbids.
void MakeMistake(Cluster& cluster,
                 std::vector<api::resource_v1::ResourceClaim>& claims,
                 allocator::Features& features,
                 Chance& chance);

}  // namespace dray::judges
