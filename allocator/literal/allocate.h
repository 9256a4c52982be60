// SPDX-License-Identifier: Apache-2.0
// The literal allocator as a whole, from pools to results: slow and plain, the oracle of the fast
// one. It follows the rules of the release and implementation that the features name, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "allocator/inventory/inventory.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/work.h"
#include "cel/selector_cache.h"
#include "dray/allocated_state.h"
#include "dray/budget.h"
#include "dray/features.h"
#include "dray/outcome.h"

namespace dray::allocator::literal {

/// What there is and what is taken of it, and the rules. All outlives the call.
struct LiteralInput {
  const inventory::Inventory& inventory;
  const AllocatedState& state;
  const Features& features;
  cel::SelectorCache& selectors;  // of SelectorCacheFor(features)
  /// In which order the pools are tried, as places in the usual order; empty: the usual order.
  /// Shows that an answer is one of those that upstream gives where its order is random. Places
  /// that the node does not have are ignored.
  std::span<const size_t> pool_order = {};
};

struct LiteralAnswer {
  /// Errors: as Allocator::Allocate.
  Result<Outcome> outcome;
  /// Calls of the recursive step, as upstream counts them; also of calls that end with an error.
  int64_t steps = 0;
  size_t pools = 0;  // that the node can see
};

/// Finds devices for the claims on the node. Worst case exponential in the number of devices asked
/// for; bounded by the steps of `budget` and by `work`.
LiteralAnswer AllocateLiterally(const LiteralInput& input,
                                const api::core_v1::Node& node,
                                std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                                const Budget& budget,
                                Work& work);
/// The same with nothing but steps as a bound.
LiteralAnswer AllocateLiterally(const LiteralInput& input,
                                const api::core_v1::Node& node,
                                std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                                const Budget& budget);

}  // namespace dray::allocator::literal
