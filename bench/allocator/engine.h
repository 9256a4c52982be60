// SPDX-License-Identifier: Apache-2.0
// The allocator as a scheduler uses it: a persistent inventory, claims that are allocated and
// released, one pod at a time. Only this file of the benchmark uses the allocator's interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "base/result.h"
#include "dray/budget.h"
#include "dray/device_id.h"
#include "dray/outcome.h"
#include "dray/snapshot.h"
#include "tests/judges/problem.h"

namespace dray::bench {

enum class NodeSharing : uint8_t { kOff, kOn };

class Engine {
 public:
  /// Builds everything from the decoded objects. Only compiled expressions can be passed in,
  /// because the peer keeps them too (null: none). `problem` must outlive the engine.
  explicit Engine(const judges::Problem& problem,
                  NodeSharing sharing = NodeSharing::kOn,
                  std::shared_ptr<allocator::SelectorCache> selectors = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Records that a claim got its devices, or released them.
  void Commit(const api::resource_v1::AllocationResult& allocation);
  void Release(const api::resource_v1::AllocationResult& allocation);

  /// Begins a new pod; the following questions are for it.
  void BeginPod();
  /// Allocates devices of the node for the pod's claims.
  Result<allocator::Outcome> Allocate(const api::core_v1::Node& node,
                                      allocator::Budget budget = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The inventory and the allocations, as a value that can be forked.
class ForkedState {
 public:
  /// Built from the decoded objects.
  explicit ForkedState(const judges::Problem& problem);
  ~ForkedState();
  ForkedState(const ForkedState&) = delete;
  ForkedState& operator=(const ForkedState&) = delete;

  /// Copies the state and drops the copy.
  void ForkAndRevert() const;
  /// Copies the state, takes a device in the copy, and drops the copy.
  void ForkTakeAndRevert(const allocator::DeviceId& device) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::bench
