// SPDX-License-Identifier: Apache-2.0
// Problems with demand close to supply, where a plain search tries nearly everything before it
// knows that nothing fits.
#pragma once

#include <vector>

#include "api/resource_v1/claim.h"
#include "tests/judges/chance.h"
#include "tests/judges/family.h"
#include "tests/judges/random_cluster.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {

/// Many equal devices, and claims that together want one less than exist, exactly as many, or one
/// more. Fills the cluster and returns the claims.
std::vector<api::resource_v1::ResourceClaim> MakeSymmetric(const Family& family,
                                                           const ProblemOptions& options,
                                                           Cluster& cluster,
                                                           Chance& chance);

/// Groups of devices from which one claim wants all of a kind, each group one short or just large
/// enough; partitions whose counters are one short; several claims that compete for the same few
/// devices. Fills the cluster and returns the claims.
std::vector<api::resource_v1::ResourceClaim> MakeTight(const Family& family,
                                                       const ProblemOptions& options,
                                                       Cluster& cluster,
                                                       Chance& chance);

}  // namespace dray::judges
