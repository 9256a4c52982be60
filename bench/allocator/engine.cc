// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/engine.h"

#include <optional>
#include <utility>
#include <vector>

#include "allocator/internals.h"
#include "allocator/inventory/inventory.h"
#include "allocator/search/options.h"
#include "dray/allocated_state.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;
using allocator::AllocatedState;
using allocator::DeviceId;
using allocator::Snapshot;

enum class Change : uint8_t { kTake, kGive };

void ApplyShare(const v1::DeviceRequestAllocationResult& result,
                const DeviceId& id,
                Change change,
                AllocatedState& state) {
  const allocator::SharedDeviceId share{.device = id, .share = *result.share_id};
  if (change == Change::kTake) {
    state.shares.insert(share);
  } else {
    state.shares.erase(share);
  }
  for (const auto& [name, amount] : result.consumed_capacity) {
    api::Quantity& total = state.capacity[id][name];
    if (change == Change::kTake) {
      total += amount;
    } else {
      total -= amount;
    }
  }
}

/// Applies the allocation to `state` and returns the new use of its devices.
std::vector<allocator::DeviceUseChange> Apply(const v1::AllocationResult& allocation,
                                              Change change,
                                              AllocatedState& state) {
  std::vector<allocator::DeviceUseChange> changes;
  for (const v1::DeviceRequestAllocationResult& result : allocation.devices.results) {
    DeviceId id{result.driver, result.pool, result.device};
    if (result.share_id.has_value()) {
      ApplyShare(result, id, change, state);
    } else if (change == Change::kTake) {
      state.devices.insert(id);
    } else {
      state.devices.erase(id);
    }
    allocator::DeviceUse use = allocator::UseOf(state, id.view());
    changes.push_back({.device = std::move(id), .use = std::move(use)});
  }
  return changes;
}

Snapshot SnapshotOf(const judges::Problem& problem,
                    std::shared_ptr<allocator::SelectorCache> selectors = nullptr) {
  return {Snapshot::Settings{.features = problem.features, .selectors = std::move(selectors)},
          problem.slices,
          problem.classes,
          problem.allocated};
}

}  // namespace

struct Engine::Parts {
  const judges::Problem& problem;
  allocator::search::SearchOptions options;
  std::optional<AllocatedState> state;  // as a scheduler keeps it; set by the first change
  Snapshot snapshot;
  std::unique_ptr<allocator::Attempt> pod;

  void Commit(const v1::AllocationResult& allocation, Change change) {
    if (!state.has_value()) state = problem.allocated;
    snapshot = snapshot.With(Apply(allocation, change, *state));
  }
};

Engine::Engine(const judges::Problem& problem,
               NodeSharing sharing,
               std::shared_ptr<allocator::SelectorCache> selectors)
    : parts_(std::make_unique<Parts>(Parts{.problem = problem,
                                           .options = {.node_sharing = sharing == NodeSharing::kOn},
                                           .state = std::nullopt,
                                           .snapshot = SnapshotOf(problem, std::move(selectors)),
                                           .pod = nullptr})) {}

Engine::~Engine() = default;

void Engine::Commit(const v1::AllocationResult& allocation) {
  parts_->Commit(allocation, Change::kTake);
}

void Engine::Release(const v1::AllocationResult& allocation) {
  parts_->Commit(allocation, Change::kGive);
}

void Engine::BeginPod() {
  parts_->pod = std::make_unique<allocator::Attempt>(
      allocator::Internals::AttemptWith(parts_->snapshot, parts_->problem.claims, parts_->options));
}

Result<allocator::Outcome> Engine::Allocate(const api::core_v1::Node& node,
                                            allocator::Budget budget) const {
  return parts_->pod->Allocate(node, budget);
}

struct ForkedState::Parts {
  Snapshot snapshot;
};

ForkedState::ForkedState(const judges::Problem& problem)
    : parts_(std::make_unique<Parts>(Parts{.snapshot = SnapshotOf(problem)})) {}

ForkedState::~ForkedState() = default;

void ForkedState::ForkAndRevert() const {
  const Snapshot fork = parts_->snapshot;
}

void ForkedState::ForkTakeAndRevert(const DeviceId& device) const {
  const allocator::DeviceUseChange change{.device = device, .use = {.whole = true}};
  const Snapshot fork = parts_->snapshot.With({&change, 1});
}

}  // namespace dray::bench
