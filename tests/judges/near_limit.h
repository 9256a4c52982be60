// SPDX-License-Identifier: Apache-2.0
// Problems at the limit of what there is, where a plain search tries nearly everything before it
// knows that nothing fits.
#pragma once

#include <vector>

#include "api/resource_v1/claim.h"
#include "tests/judges/chance.h"
#include "tests/judges/family.h"
#include "tests/judges/random_cluster.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {

/// Many equal devices; claims that together want one less, as many, or one more than there are.
/// Fills the cluster, returns the claims.
std::vector<api::resource_v1::ResourceClaim> MakeSymmetric(const Family& family,
                                                           const ProblemOptions& options,
                                                           Cluster& cluster,
                                                           Chance& chance);

/// Groups of devices that one claim wants all of a kind from, each one short or just one enough;
/// partitions whose counters are one short; several claims that compete for the same few devices.
/// Fills the cluster, returns the claims.
std::vector<api::resource_v1::ResourceClaim> MakeTight(const Family& family,
                                                       const ProblemOptions& options,
                                                       Cluster& cluster,
                                                       Chance& chance);

}  // namespace dray::judges
