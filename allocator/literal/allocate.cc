// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/allocate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "allocator/literal/search.h"
#include "allocator/literal/selection.h"
#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "allocator/rules/result.h"
#include "base/try.h"

namespace dray::allocator::literal {
namespace {

namespace v1 = api::resource_v1;

void Reorder(rules::GatheredPools& gathered, std::span<const size_t> order) {
  std::vector<rules::Pool> pools;
  for (const size_t place : order) {
    if (place < gathered.pools.size()) pools.push_back(std::move(gathered.pools[place]));
  }
  for (size_t i = 0; i < pools.size(); ++i) {
    for (std::vector<rules::DeviceEntry>& slice : pools[i].slices) {
      for (rules::DeviceEntry& entry : slice) entry.pool = i;
    }
  }
  gathered.pools = std::move(pools);
}

struct Bounds {
  const Budget& budget;
  Work& work;
};

// Fills in all of `answer` but its outcome.
Result<Outcome> Allocate(const LiteralInput& input,
                         const api::core_v1::Node& node,
                         std::span<const Frozen<v1::ResourceClaim>> claims,
                         const Bounds& bounds,
                         LiteralAnswer& answer) {
  const auto& [budget, work] = bounds;
  const Features& features = input.features;
  DRAY_TRY(rules::GatheredPools gathered, rules::GatherPools(input.inventory, node, features));
  work.Charge(WorkOfItems(8 * gathered.device_count));
  answer.pools = gathered.pools.size();
  if (!input.pool_order.empty()) Reorder(gathered, input.pool_order);
  Selection selection(node, gathered, features, input.selectors, work);
  Result<std::vector<rules::ClaimPlan>> plans = rules::PlanClaims(
      {.inventory = input.inventory,
       .gathered = gathered,
       .state = input.state,
       .features = features},
      [&](const rules::Criteria& criteria, const rules::DeviceEntry& device) {
        return selection.IsSelectable(criteria, device);
      },
      claims);
  if (selection.is_spent()) return Undecided{};
  if (!plans) return std::move(plans).failure();
  SearchResult found =
      Search({.pools = gathered, .state = input.state, .features = features, .node = node},
             selection,
             *plans,
             budget);
  answer.steps = found.steps;
  if (selection.is_spent()) return Undecided{found.steps};
  DRAY_TRY(const SearchEnd end, found.end);
  if (budget.IsCancelled() && end != SearchEnd::kFound) {
    return Fail(StatusReason::kTimeout, "operation aborted: the caller has cancelled it");
  }
  if (end == SearchEnd::kOutOfBudget) return Undecided{found.steps};
  if (end == SearchEnd::kNothing) {
    return Unsatisfiable{
        .node_error = gathered.any_invalid ? "invalid resource pools were encountered" : "",
        .has_invalid_pool = gathered.any_invalid,
        .has_incomplete_pool =
            std::ranges::count(gathered.pools, rules::PoolState::kIncomplete, &rules::Pool::state) >
            0};
  }
  Allocation allocation;
  for (size_t i = 0; i < plans->size(); ++i) {
    DRAY_TRY(v1::AllocationResult result,
             rules::BuildResult((*plans)[i],
                                found.decision.placements[i],
                                found.decision.alternatives[i],
                                node,
                                features));
    allocation.results.push_back(std::move(result));
  }
  return allocation;
}

}  // namespace

LiteralAnswer AllocateLiterally(const LiteralInput& input,
                                const api::core_v1::Node& node,
                                std::span<const Frozen<v1::ResourceClaim>> claims,
                                const Budget& budget,
                                Work& work) {
  LiteralAnswer answer{.outcome = Undecided{0}};
  answer.outcome = Allocate(input, node, claims, {budget, work}, answer);
  return answer;
}

LiteralAnswer AllocateLiterally(const LiteralInput& input,
                                const api::core_v1::Node& node,
                                std::span<const Frozen<v1::ResourceClaim>> claims,
                                const Budget& budget) {
  Work work(Work::kUnlimited);
  return AllocateLiterally(input, node, claims, budget, work);
}

}  // namespace dray::allocator::literal
