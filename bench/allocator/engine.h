// SPDX-License-Identifier: Apache-2.0
// The allocator as a scheduler holds it: an inventory that lives on, claims that come and go, and a
// pod at a time. The one place of the benchmark that knows the allocator's interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "base/result.h"
#include "cel/selector_cache.h"
#include "dray/budget.h"
#include "dray/device_id.h"
#include "dray/outcome.h"
#include "tests/judges/problem.h"

namespace dray::bench {

enum class NodeSharing : uint8_t { kOff, kOn };

class Engine {
 public:
  /// Everything is built from the decoded objects; only compiled expressions may be taken over, as
  /// the peer keeps them too (null: none). `problem` outlives the engine.
  explicit Engine(const judges::Problem& problem,
                  NodeSharing sharing = NodeSharing::kOn,
                  std::shared_ptr<cel::SelectorCache> selectors = nullptr);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// A claim has got its devices, or gave them back.
  void Commit(const api::resource_v1::AllocationResult& allocation);
  void Release(const api::resource_v1::AllocationResult& allocation);

  /// A new pod comes: what is asked next is asked for it.
  void BeginPod();
  /// What the node has for the pod's claims.
  Result<allocator::Outcome> Allocate(const api::core_v1::Node& node,
                                      allocator::Budget budget = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What exists and what is taken, as a value that can be forked.
class ForkedState {
 public:
  /// Built from the decoded objects.
  explicit ForkedState(const judges::Problem& problem);
  ~ForkedState();
  ForkedState(const ForkedState&) = delete;
  ForkedState& operator=(const ForkedState&) = delete;

  /// Copies the state and drops the copy.
  void ForkAndRevert() const;
  /// Copies it, takes a device in the copy and drops that.
  void ForkTakeAndRevert(const allocator::DeviceId& device) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::bench
