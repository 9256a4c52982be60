// SPDX-License-Identifier: Apache-2.0
// The outcomes of a call of the allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/resource_v1/allocation.h"

namespace dray::allocator::inline v0 {

/// One AllocationResult per claim, in the order of the claims.
struct Allocation {
  std::vector<api::resource_v1::AllocationResult> results;
};
/// No devices fit. `node_error` is upstream's error for this node alone ("invalid resource pools
/// were encountered"); empty if the only reason is that devices are missing.
struct Unsatisfiable {
  std::string node_error;
};
/// The budget ran out first. The search had found devices for all requests before the one named;
/// whether that one can be satisfied too is unknown.
struct Undecided {
  int64_t steps = 0;
  size_t claim = 0;    // by number
  size_t request = 0;  // in the claim
};
using Outcome = std::variant<Allocation, Unsatisfiable, Undecided>;

}  // namespace dray::allocator::inline v0
