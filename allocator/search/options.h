// SPDX-License-Identifier: Apache-2.0
// Which proofs the search uses, and what it may evaluate beforehand.
#pragma once

#include <cstdint>

namespace dray::allocator::search {

/// What evaluating the expressions of some claims on all devices of a cluster may take, in units of
/// Work: a quarter of a second to one. Devices that are left over are for the literal search, which
/// evaluates only what it comes to, within the budget of its caller.
inline constexpr uint64_t kEvaluationWorkMax = uint64_t{1} << 28U;

/// Each proof only leaves out what cannot hold a solution, so answers are the same with any of
/// these switched off; tests compare. (S-1 … S-10, N-1: docs/design/allocator.md argues each of
/// them.)
struct SearchOptions {
  bool symmetry = true;          // S-1: of equal devices, try one
  bool counting = true;          // S-2: enough candidates for each request
  bool flow = true;              // S-2: enough for all requests together
  bool value_groups = true;      // S-3: some value has enough devices for all that must share it
  bool distinct_values = true;   // S-4: enough different values
  bool counter_bounds = true;    // S-5: the least that is drawn is there
  bool capacity_bounds = true;   // S-6: as many shares as fit are enough
  bool no_goods = true;          // S-7: what failed once fails again
  bool backjumping = true;       // S-8: go back to a decision that matters
  bool decomposition = true;     // S-9: what is independent is solved apart
  bool early_refutation = true;  // S-10: what cannot be had alone cannot be had with others
  bool node_sharing = true;      // N-1: equal nodes have equal answers
  /// First look for a solution without any of the above, for a few steps: most pods fit.
  bool optimism = true;
  uint64_t evaluation_work_max = kEvaluationWorkMax;
};

}  // namespace dray::allocator::search
