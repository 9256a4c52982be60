// SPDX-License-Identifier: Apache-2.0
// Whether a device may be given to a request, after what is committed and what the search has given
// on its path. Taking a device back, or refusing it, leaves everything as it was before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "allocator/literal/compatibility_groups.h"
#include "allocator/literal/counters.h"
#include "allocator/literal/derived_attributes.h"
#include "allocator/literal/selection.h"
#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "api/core_v1/node.h"
#include "base/result.h"
#include "dray/allocated_state.h"

namespace dray::allocator::literal {

/// What there is, what of it is taken, and which rules hold.
struct SearchSpace {
  const rules::GatheredPools& pools;
  const AllocatedState& state;
  const Features& features;
  const api::core_v1::Node& node;
};

/// The devices given so far, by claim. Not thread-safe: one search owns it.
class Assignment {
 public:
  /// The constraints of `plans` are scratch space: they end as they began once all is taken back.
  Assignment(const SearchSpace& space, Selection& selection, std::vector<rules::ClaimPlan>& plans);

  /// Whether the device is taken. For admin access only devices of its own claim count.
  bool IsInUse(size_t claim, const rules::Variant& variant, const rules::DeviceEntry& device);

  /// Whether enough capacity is left for the request.
  /// Errors: kInvalid  an amount cannot be counted; names claim, request and device.
  Result<bool> FitsCapacity(size_t claim,
                            const rules::Variant& variant,
                            const rules::DeviceEntry& device);

  /// Gives the device to the claim; false when it may not have it.
  /// Errors: kInvalid with upstream's text: all devices are wanted, but a constraint rules this one
  /// out; as FitsCapacity.
  Result<bool> Give(size_t claim, const rules::Variant& variant, const rules::DeviceEntry& device);
  /// Takes back what was given to the claim last.
  void TakeBackLast(size_t claim);

  /// By claim, in the order they were given.
  std::vector<std::vector<rules::Placement>> Finish() && { return std::move(placements_); }
  size_t CountOf(size_t claim) const { return placements_[claim].size(); }

 private:
  enum class Answer : uint8_t { kUnknown, kYes, kNo };

  /// What was recorded for one device, in this order.
  struct Entered {
    bool groups = false;
    bool counters = false;
    size_t constraints = 0;
    bool holder = false;
    bool share = false;
  };

  bool MaySkipNodeOperations(const rules::DeviceEntry& entry) const;
  Result<bool> Enter(size_t claim, rules::Placement& placement, Entered& entered);
  bool EnterCounters(const rules::DeviceEntry& entry, Entered& entered);
  Result<bool> EnterCapacity(size_t claim, rules::Placement& placement, Entered& entered);
  Result<bool> EnterConstraints(size_t claim, const rules::Placement& placement, Entered& entered);
  void Undo(size_t claim, const rules::Placement& placement, const Entered& entered);
  bool IsCommitted(const rules::DeviceEntry& device);

  const AllocatedState& state_;
  const Features& features_;
  const rules::Rules& rules_;
  const api::core_v1::Node& node_;
  Work& work_;
  std::vector<rules::ClaimPlan>& plans_;
  DeviceAttributes attributes_;
  GroupUsage groups_;
  CounterUsage counters_;
  rules::CapacityUsage capacity_;
  std::vector<std::vector<rules::Placement>> placements_;  // by claim
  std::vector<std::vector<Entered>> entered_;              // for each of them
  std::vector<std::vector<size_t>> holders_;               // by device: the claims it was given to
  std::vector<Answer> committed_;                          // by device: is it in state_
};

}  // namespace dray::allocator::literal
