// SPDX-License-Identifier: Apache-2.0
// The steps that a device must pass to be given to a request, in the order in which they are
// counted, and the step that rejects each device of a node. Rules about several devices together
// (constraints, counters of several devices, counts) are not among the steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocator/literal/compatibility_groups.h"
#include "allocator/literal/counters.h"
#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "cel/selector_cache.h"
#include "dray/allocated_state.h"
#include "dray/features.h"
#include "planning/explain/conditions.h"

namespace dray::planning::inline explain {

/// The step that rejects a device. The later the step, the closer the device came.
enum class Step : uint8_t {
  kElsewhere,    // no node that may be used reaches it
  kClass,        // the selectors of the class
  kSelectors,    // those of the request
  kPool,         // its pool is incomplete, contradicts itself, or has a newer generation
  kSwitchedOff,  // it needs a feature that is off
  kNode,         // its own node selection excludes the node
  kTooSmall,     // unused, and still its capacity is too small
  kTaints,       // it has a taint that the request does not tolerate
  kInUse,        // a claim has it
  kCounters,     // claims have used up the counters that it needs
  kCapacity,     // claims have used up its capacity
  kUsable,       // no step rejects it
};
inline constexpr size_t kSteps = 12;

/// "elsewhere", "class", …: for programs.
std::string_view StepName(Step step);

/// The number of devices by the step that rejects them.
using StepCounts = std::array<size_t, kSteps>;

/// The number of devices that pass `step`.
size_t LeftAfter(const StepCounts& counts, Step step);

/// The step that rejects a device of a node.
struct Fall {
  Step step = Step::kUsable;
  /// kClass, kSelectors: the index of the condition; `why` is the error, if it fails.
  size_t condition = 0;
  std::string why = {};  // in a few words; empty if the step explains enough
  /// Whether the device is among those that a request for all devices must get to succeed.
  bool is_listed = false;
};

/// One way to satisfy a request, with cached results of its selectors for each device.
class DeviceJudge {
 public:
  DeviceJudge(const allocator::rules::Variant& variant, Conditions conditions)
      : variant_(&variant), conditions_(std::move(conditions)) {}

  const allocator::rules::Variant& variant() const { return *variant_; }
  const Conditions& conditions() const { return conditions_; }

  /// The condition of class or request that rejects the device; absent: the device is selected. The
  /// cost of selectors is not counted.
  std::optional<Fall> Unselected(std::string_view driver,
                                 const api::resource_v1::Device& device,
                                 const allocator::rules::Rules& rules);

 private:
  struct Unmet {
    bool is_met = true;
    Conditions::Unmet unmet = {};
  };

  const allocator::rules::Variant* variant_;
  Conditions conditions_;
  std::unordered_map<const api::resource_v1::Device*, Unmet> known_;
};

/// The devices that one node reaches, judged one by one as if nothing else were requested.
class NodeDevices {
 public:
  /// All arguments must outlive this.
  NodeDevices(const allocator::rules::GatheredPools& gathered,
              const allocator::AllocatedState& state,
              const allocator::Features& features,
              const api::core_v1::Node& node)
      : gathered_(gathered),
        state_(state),
        features_(features),
        rules_(allocator::rules::RulesOf(features)),
        node_(node),
        groups_(gathered, state),
        counters_(gathered, state, features),
        shares_(gathered, state, features) {}

  /// `device` must be one of the node's. The cost of selectors is not counted.
  Fall Judge(DeviceJudge& judge, const allocator::rules::DeviceEntry& device);

 private:
  using Entry = allocator::rules::DeviceEntry;

  std::string UnreadFeature(const Entry& entry) const;
  std::string UnmetFeature(const Entry& entry) const;
  Fall Alone(const DeviceJudge& judge, const Entry& entry) const;
  Fall BesideUse(const allocator::rules::Variant& variant, const Entry& entry);
  Fall Counters(const Entry& entry);
  Fall Capacity(const allocator::rules::Variant& variant, const Entry& entry) const;

  const allocator::rules::GatheredPools& gathered_;
  const allocator::AllocatedState& state_;
  const allocator::Features& features_;
  const allocator::rules::Rules& rules_;
  const api::core_v1::Node& node_;
  allocator::literal::GroupUsage groups_;
  allocator::literal::CounterUsage counters_;
  const allocator::rules::CapacityUsage shares_;
};

}  // namespace dray::planning::inline explain
