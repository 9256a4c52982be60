// SPDX-License-Identifier: Apache-2.0
#include "allocator/allocator.h"

#include <utility>

#include "allocator/literal/search.h"
#include "allocator/literal/selection.h"
#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "allocator/rules/result.h"

namespace dray::allocator {

struct Allocator::Parts {
  Frozen<Inventory> inventory;
  Frozen<AllocatedState> state;
  std::shared_ptr<cel::SelectorCache> selectors;
  Features features;
};

Allocator::Allocator(Frozen<Inventory> inventory,
                     Frozen<AllocatedState> state,
                     std::shared_ptr<cel::SelectorCache> selectors,
                     Features features)
    : parts_(std::make_unique<Parts>(
          std::move(inventory), std::move(state), std::move(selectors), features)) {}

Allocator::~Allocator() = default;

Result<Outcome> Allocator::Allocate(const api::core_v1::Node& node,
                                    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                                    Budget budget) const {
  DRAY_TRY(const GatheredPools gathered, GatherPools(*parts_->inventory, node, parts_->features));
  Selection selection(node, gathered, parts_->features, *parts_->selectors);
  DRAY_TRY(std::vector<ClaimPlan> plans,
           PlanClaims(
               *parts_->inventory,
               gathered,
               parts_->features,
               [&](const Criteria& criteria, const DeviceEntry& device) {
                 return selection.IsSelectable(criteria, device);
               },
               claims));
  DRAY_TRY(
      SearchResult found,
      Search(
          {.pools = gathered, .state = *parts_->state, .features = parts_->features, .node = node},
          selection,
          plans,
          budget));
  if (found.end == SearchEnd::kOutOfBudget) return Undecided{found.steps};
  if (found.end == SearchEnd::kNothing) {
    return Unsatisfiable{gathered.any_invalid ? "invalid resource pools were encountered" : ""};
  }
  Allocation allocation;
  for (size_t i = 0; i < plans.size(); ++i) {
    DRAY_TRY(api::resource_v1::AllocationResult result,
             BuildResult(plans[i],
                         found.decision.placements[i],
                         found.decision.alternatives[i],
                         node,
                         parts_->features));
    allocation.results.push_back(std::move(result));
  }
  return allocation;
}

}  // namespace dray::allocator
