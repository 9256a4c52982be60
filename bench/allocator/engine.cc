// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/engine.h"

#include <utility>

#include "allocator/allocated_state.h"
#include "allocator/inventory.h"
#include "allocator/profile.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;
using allocator::AllocatedState;
using allocator::DeviceId;

constexpr size_t kSelectorsKept = 1000;

void Take(const v1::AllocationResult& allocation, AllocatedState& state) {
  for (const auto& result : allocation.devices.results) {
    const DeviceId id{result.driver, result.pool, result.device};
    if (!result.share_id.has_value()) {
      state.devices.insert(id);
      continue;
    }
    state.shares.insert({.device = id, .share = *result.share_id});
    for (const auto& [name, amount] : result.consumed_capacity) state.capacity[id][name] += amount;
  }
}

void Give(const v1::AllocationResult& allocation, AllocatedState& state) {
  for (const auto& result : allocation.devices.results) {
    const DeviceId id{result.driver, result.pool, result.device};
    if (!result.share_id.has_value()) {
      state.devices.erase(id);
      continue;
    }
    state.shares.erase({.device = id, .share = *result.share_id});
    for (const auto& [name, amount] : result.consumed_capacity) state.capacity[id][name] -= amount;
  }
}

}  // namespace

struct Engine::Parts {
  const judges::Problem& problem;
  Frozen<allocator::Inventory> inventory;
  std::shared_ptr<AllocatedState> state;  // changed between pods only
  std::shared_ptr<cel::SelectorCache> selectors;
  std::unique_ptr<allocator::Allocator> pod;
};

Engine::Engine(const judges::Problem& problem, NodeSharing /*sharing*/)
    : parts_(std::make_unique<Parts>(
          Parts{.problem = problem,
                .inventory = allocator::Inventory::Build(problem.slices, problem.classes),
                .state = std::make_shared<AllocatedState>(problem.allocated),
                .selectors = allocator::SelectorCacheFor(problem.features, kSelectorsKept),
                .pod = nullptr})) {}

Engine::~Engine() = default;

void Engine::Commit(const v1::AllocationResult& allocation) {
  Take(allocation, *parts_->state);
}

void Engine::Release(const v1::AllocationResult& allocation) {
  Give(allocation, *parts_->state);
}

void Engine::BeginPod() {
  parts_->pod = std::make_unique<allocator::Allocator>(
      parts_->inventory, parts_->state, parts_->selectors, parts_->problem.features);
}

Result<allocator::Outcome> Engine::Allocate(const api::core_v1::Node& node,
                                            allocator::Budget budget) const {
  return parts_->pod->Allocate(node, parts_->problem.claims, budget);
}

struct ForkedState::Parts {
  Frozen<allocator::Inventory> inventory;
  AllocatedState state;
};

ForkedState::ForkedState(const judges::Problem& problem)
    : parts_(std::make_unique<Parts>(
          Parts{.inventory = allocator::Inventory::Build(problem.slices, problem.classes),
                .state = problem.allocated})) {}

ForkedState::~ForkedState() = default;

void ForkedState::ForkAndRevert() const {
  const Parts fork = *parts_;
}

void ForkedState::ForkCommitAndRevert(const v1::AllocationResult& allocation) const {
  Parts fork = *parts_;
  Take(allocation, fork.state);
}

}  // namespace dray::bench
