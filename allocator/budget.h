// SPDX-License-Identifier: Apache-2.0
// How long a search may take.
#pragma once

#include <cstdint>

namespace dray::allocator {

/// Counts candidates tried, not time, so an answer does not depend on the machine.
struct Budget {
  int64_t steps_max = 1'000'000'000;
};

}  // namespace dray::allocator
