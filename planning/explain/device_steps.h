// SPDX-License-Identifier: Apache-2.0
// The steps a device must get past to be given to a request, in the order in which they are
// counted, and where each device of a node falls. What several devices must satisfy together
// (constraints, counters beside each other, counts) is not among them.
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

/// Where a device falls. The later the step, the nearer it came.
enum class Step : uint8_t {
  kElsewhere,    // it belongs to no node that may be used
  kClass,        // the selectors of the class
  kSelectors,    // those of the request
  kPool,         // its pool is incomplete, contradicts itself, or has a newer generation
  kSwitchedOff,  // it needs a feature that is off
  kNode,         // it chooses its nodes itself, and others
  kTooSmall,     // nobody uses it, and yet its capacity would not do
  kTaints,       // it has a taint that the request does not tolerate
  kInUse,        // a claim has it
  kCounters,     // claims have what it draws from the counters of its pool
  kCapacity,     // claims have the capacity
  kUsable,       // it does not fall
};
inline constexpr size_t kSteps = 12;

/// "elsewhere", "class", …: for programs.
std::string_view StepName(Step step);

/// How many devices fall where.
using StepCounts = std::array<size_t, kSteps>;

/// Those that get past `step`.
size_t LeftAfter(const StepCounts& counts, Step step);

/// A device of a node and how far it comes.
struct Fall {
  Step step = Step::kUsable;
  /// kClass, kSelectors: which of the conditions; `why` is the error, if it fails.
  size_t condition = 0;
  std::string why = {};  // in a few words; empty where the step says enough
  /// Whether the device is among those that a request for all devices gets, or else fails.
  bool is_listed = false;
};

/// One way to satisfy a request, with what its selectors say of devices, found out once for each.
class DeviceJudge {
 public:
  DeviceJudge(const allocator::rules::Variant& variant, Conditions conditions)
      : variant_(&variant), conditions_(std::move(conditions)) {}

  const allocator::rules::Variant& variant() const { return *variant_; }
  const Conditions& conditions() const { return conditions_; }

  /// Which condition of class or request keeps the device out; nothing: it is selected. What
  /// selectors cost is not counted.
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

/// The devices that one node sees, judged one by one as if nothing else were asked for.
class NodeDevices {
 public:
  /// All arguments outlive this.
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

  /// `device` is one of the node's. What selectors cost is not counted.
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
