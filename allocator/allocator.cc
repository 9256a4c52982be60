// SPDX-License-Identifier: Apache-2.0
#include "allocator/allocator.h"

#include <utility>

#include "allocator/literal/allocate.h"

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
  const LiteralInput input = {.inventory = *parts_->inventory,
                              .state = *parts_->state,
                              .features = parts_->features,
                              .selectors = *parts_->selectors};
  return AllocateLiterally(input, node, claims, budget).outcome;
}

}  // namespace dray::allocator
