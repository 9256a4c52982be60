// SPDX-License-Identifier: Apache-2.0
// Random claims for a cluster, with a demand close to its supply.
#pragma once

#include <string_view>
#include <vector>

#include "api/resource_v1/claim.h"
#include "tests/judges/chance.h"
#include "tests/judges/family.h"
#include "tests/judges/random_cluster.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {

/// A selector that some devices of the driver satisfy and that fails on none of them.
api::resource_v1::DeviceSelector RandomSelector(std::string_view driver,
                                                const Traits& traits,
                                                Chance& chance);

/// At least one claim; each has at least one request.
std::vector<api::resource_v1::ResourceClaim> RandomClaims(const Family& family,
                                                          const ProblemOptions& options,
                                                          const Cluster& cluster,
                                                          Chance& chance);

}  // namespace dray::judges
