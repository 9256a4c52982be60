// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/pools.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "allocator/rules/node_match.h"
#include "allocator/rules/release_rules.h"
#include "base/try.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;
using SliceList = std::vector<const v1::ResourceSlice*>;

Error NodeSelectionError(std::string_view what, std::string_view name, const Error& why) {
  return {.reason = StatusReason::kInvalid,
          .message =
              fmt::format("gather pool information: failed to perform node selection for {} {}: {}",
                          what,
                          name,
                          why.message)};
}

/// Whether any device of the slice names groups. While the feature is off such slices count as not
/// there, because which of their devices may be used together is unknown.
bool UsesCompatibilityGroups(const v1::ResourceSlice& slice) {
  return std::ranges::any_of(slice.spec.devices, [](const v1::Device& device) {
    return std::ranges::any_of(device.consumes_counters,
                               [](const v1::DeviceCounterConsumption& consumption) {
                                 return !consumption.compatibility_groups.empty();
                               });
  });
}

/// Whether a slice counts as not there for any node.
bool IsHidden(const v1::ResourceSlice& slice, const Features& features) {
  return RulesOf(features).knows_groups_and_derived && !features.compatibility_groups &&
         UsesCompatibilityGroups(slice);
}

bool IsCounterSlice(const v1::ResourceSlice& slice, const Features& features) {
  return features.partitionable_devices && !slice.spec.shared_counters.empty();
}

Result<bool> HasUsableDevice(const v1::ResourceSlice& slice, const api::core_v1::Node& node) {
  for (const v1::Device& device : slice.spec.devices) {
    const Result<bool> matches = IsUsableOn(node, device);
    if (!matches) {
      return Fail(
          NodeSelectionError("device",
                             fmt::format("{} in slice {}", device.name, slice.metadata.name),
                             matches.error()));
    }
    if (*matches) return true;
  }
  return false;
}

/// Whether a slice offers anything on the node.
Result<bool> IsRelevant(const v1::ResourceSlice& slice,
                        const api::core_v1::Node& node,
                        const Features& features) {
  const v1::ResourceSliceSpec& spec = slice.spec;
  if (IsHidden(slice, features)) return false;
  if (!features.partitionable_devices &&
      (spec.per_device_node_selection.has_value() || !spec.shared_counters.empty())) {
    return false;
  }
  if (RulesOf(features).counter_slices_are_everywhere && IsCounterSlice(slice, features))
    return true;
  const bool has_node_name = spec.node_name.has_value() && !spec.node_name->empty();
  if (has_node_name || spec.all_nodes.value_or(false) || spec.node_selector.has_value()) {
    Result<bool> matches = IsUsableOn(node, spec);
    if (!matches) return Fail(NodeSelectionError("slice", slice.metadata.name, matches.error()));
    return matches;
  }
  if (!spec.per_device_node_selection.value_or(false)) return false;
  return HasUsableDevice(slice, node);
}

/// The slices that a node may see, in the order in which the search reads them.
SliceList VisibleSlices(const inventory::Inventory& inventory,
                        std::string_view node,
                        const Features& features) {
  const Rules& rules = RulesOf(features);
  SliceList visible;
  const auto append = [&](auto belongs) {
    for (const inventory::Inventory::Slice& slice : inventory.slices()) {
      if (belongs(*slice)) visible.push_back(slice.get());
    }
  };
  if (!rules.sees_own_slices_first) {
    append([](const v1::ResourceSlice&) { return true; });
  } else if (rules.counter_slices_are_everywhere) {
    const auto is_shared = [](const v1::ResourceSlice& slice) {
      return slice.spec.node_name.value_or("").empty() || !slice.spec.shared_counters.empty();
    };
    append([&](const v1::ResourceSlice& slice) {
      return !is_shared(slice) && slice.spec.node_name == node;
    });
    append(is_shared);
  } else {
    visible = inventory.OfNode(node);
    visible.insert(visible.end(), inventory.shared().begin(), inventory.shared().end());
  }
  return visible;
}

struct PoolKey {
  std::string driver, name;
  auto operator<=>(const PoolKey&) const = default;
};

/// Adds a relevant slice: a newer generation replaces what is stored, an older one is dropped.
void AddSlice(SliceList& stored, const v1::ResourceSlice* slice, const Rules& rules) {
  if (!stored.empty()) {
    const int64_t have = stored.front()->spec.pool.generation;
    if (slice->spec.pool.generation < have) return;
    if (slice->spec.pool.generation > have) {
      stored.clear();
      if (rules.stores_newer_slice_twice) stored.push_back(slice);
    }
  }
  stored.push_back(slice);
}

using CounterSets = std::map<std::string_view, const v1::CounterSet*>;

/// Empty, or what contradicts itself in the counters that `slices` use.
std::string CheckConsumption(const SliceList& slices, const CounterSets& sets) {
  for (const v1::ResourceSlice* slice : slices) {
    for (const v1::Device& device : slice->spec.devices) {
      for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
        const auto set = sets.find(consumption.counter_set);
        if (set == sets.end()) {
          return fmt::format(
              "counter set {} not found for device {}", consumption.counter_set, device.name);
        }
        for (const auto& [counter, amount] : consumption.counters) {
          if (!set->second->counters.contains(counter)) {
            return fmt::format("counter set {} has no counter {} for device {}",
                               consumption.counter_set,
                               counter,
                               device.name);
          }
        }
      }
    }
  }
  return {};
}

/// The slices of a complete pool by what they are for.
struct Roles {
  SliceList targeting;  // devices for this node
  SliceList elsewhere;  // devices for others
  SliceList counters;
};

/// The first name that came before, if there is one.
std::optional<std::string_view> RepeatedName(const SliceList& slices) {
  std::vector<std::string_view> names;
  for (const v1::ResourceSlice* slice : slices) {
    for (const v1::Device& device : slice->spec.devices) names.push_back(device.name);
  }
  std::vector<std::string_view> sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return std::nullopt;
  std::set<std::string_view> before;
  return *std::ranges::find_if(names, [&](auto name) { return !before.insert(name).second; });
}

/// Empty, or why nothing may be taken from the pool.
std::string FindContradiction(const Roles& roles, const Features& features) {
  if (const auto repeated = RepeatedName(roles.targeting))
    return fmt::format("multiple devices named {}", *repeated);
  if (!features.partitionable_devices) return {};
  CounterSets sets;
  for (const v1::ResourceSlice* slice : roles.counters) {
    for (const v1::CounterSet& set : slice->spec.shared_counters) {
      if (!sets.emplace(set.name, &set).second) return "multiple counter sets named " + set.name;
    }
  }
  std::string reason = CheckConsumption(roles.targeting, sets);
  if (reason.empty()) reason = CheckConsumption(roles.elsewhere, sets);
  if (reason.empty() && RulesOf(features).counter_slices_are_everywhere)
    reason = CheckConsumption(roles.counters, sets);
  return reason;
}

/// `relevant` on this node, of `all` in the cluster.
Roles RolesOf(const SliceList& relevant, const SliceList& all, const Features& features) {
  Roles roles;
  for (const v1::ResourceSlice* slice : relevant)
    (IsCounterSlice(*slice, features) ? roles.counters : roles.targeting).push_back(slice);
  if (relevant.size() == all.size()) return roles;
  std::set<std::string_view> names;
  for (const v1::ResourceSlice* slice : relevant) names.insert(slice->metadata.name);
  for (const v1::ResourceSlice* slice : all) {
    if (names.contains(slice->metadata.name)) continue;
    (IsCounterSlice(*slice, features) ? roles.counters : roles.elsewhere).push_back(slice);
  }
  return roles;
}

/// What may be tried, in that order.
void AddDevices(const SliceList& slices, const Rules& rules, Pool& pool) {
  pool.targeting = slices;
  for (const v1::ResourceSlice* slice : slices) {
    std::vector<DeviceEntry>& entries = pool.slices.emplace_back();
    for (const v1::Device& device : slice->spec.devices) {
      entries.push_back({.slice = slice, .device = &device, .named_in = slice});
      if (rules.knows_binding && device.binding_conditions.present())
        pool.has_binding_conditions = true;
    }
  }
}

/// A pool whose generation is complete.
Pool BuildPool(const PoolKey& key,
               SliceList relevant,
               const SliceList& all,
               const Features& features) {
  Pool pool{.driver = key.driver, .name = key.name};
  if (RulesOf(features).sorts_slices) {
    std::ranges::sort(relevant, {}, [](const v1::ResourceSlice* s) {
      return std::string_view(s->metadata.name);
    });
  }
  Roles roles = RolesOf(relevant, all, features);
  pool.invalid_reason = FindContradiction(roles, features);
  if (!pool.invalid_reason.empty()) {
    pool.state = PoolState::kInvalid;
    return pool;
  }
  pool.elsewhere = std::move(roles.elsewhere);
  for (const v1::ResourceSlice* slice : roles.counters) {
    for (const v1::CounterSet& set : slice->spec.shared_counters) pool.counter_sets.push_back(&set);
  }
  AddDevices(roles.targeting, RulesOf(features), pool);
  return pool;
}

/// A pool of v0.31.8: what this node sees of it, with a flag.
Pool BuildUncheckedPool(const PoolKey& key, const SliceList& relevant, const Features& features) {
  Pool pool{.driver = key.driver, .name = key.name};
  const int64_t wanted = relevant.front()->spec.pool.resource_slice_count;
  if (std::cmp_not_equal(relevant.size(), wanted)) pool.state = PoolState::kIncomplete;
  AddDevices(relevant, RulesOf(features), pool);
  return pool;
}

/// Adds the pool to `out` unless a newer generation exists elsewhere.
void Conclude(const inventory::Inventory& inventory,
              const PoolKey& key,
              const SliceList& relevant,
              const Features& features,
              GatheredPools& out) {
  if (!RulesOf(features).checks_whole_pools) {
    out.pools.push_back(BuildUncheckedPool(key, relevant, features));
    return;
  }
  const auto& first = relevant.front()->spec.pool;
  const auto wanted = static_cast<size_t>(std::max<int64_t>(first.resource_slice_count, 0));
  if (relevant.size() == wanted) {
    out.pools.push_back(BuildPool(key, relevant, relevant, features));
    return;
  }
  SliceList all;
  for (const v1::ResourceSlice* slice : inventory.OfPool(key.driver, key.name)) {
    if (IsHidden(*slice, features)) continue;
    if (slice->spec.pool.generation > first.generation) return;
    if (slice->spec.pool.generation == first.generation) all.push_back(slice);
  }
  if (all.size() == wanted) {
    out.pools.push_back(BuildPool(key, relevant, all, features));
  } else {
    out.pools.push_back({.driver = key.driver, .name = key.name, .state = PoolState::kIncomplete});
  }
}

void NumberDevices(GatheredPools& gathered, const Rules& rules) {
  std::map<DeviceIdView, const DeviceEntry*> known;  // where names need not be unique
  for (size_t i = 0; i < gathered.pools.size(); ++i) {
    Pool& pool = gathered.pools[i];
    gathered.any_invalid = gathered.any_invalid || pool.state == PoolState::kInvalid;
    for (std::vector<DeviceEntry>& slice : pool.slices) {
      for (DeviceEntry& entry : slice) {
        entry.pool = i;
        if (!rules.checks_whole_pools) {
          const auto [first, is_new] = known.try_emplace(entry.id(), &entry);
          entry.named_in = first->second->slice;
          entry.index = first->second->index;
          if (!is_new) continue;
        }
        entry.index = gathered.device_count++;
      }
    }
  }
}

}  // namespace

Result<GatheredPools> GatherPools(const inventory::Inventory& inventory,
                                  const api::core_v1::Node& node,
                                  const Features& features) {
  const Rules& rules = RulesOf(features);
  std::map<PoolKey, SliceList> stored;
  for (const v1::ResourceSlice* slice : VisibleSlices(inventory, node.metadata.name, features)) {
    DRAY_TRY(const bool relevant, IsRelevant(*slice, node, features));
    if (relevant) AddSlice(stored[{slice->spec.driver, slice->spec.pool.name}], slice, rules);
  }
  GatheredPools gathered;
  for (const auto& [key, slices] : stored) Conclude(inventory, key, slices, features, gathered);
  std::ranges::sort(gathered.pools, [](const Pool& a, const Pool& b) {
    return std::tie(a.has_binding_conditions, a.driver, a.name) <
           std::tie(b.has_binding_conditions, b.driver, b.name);
  });
  NumberDevices(gathered, rules);
  return gathered;
}

std::string ContradictionIn(const std::vector<const v1::ResourceSlice*>& slices,
                            const Features& features) {
  return FindContradiction(RolesOf(slices, slices, features), features);
}

}  // namespace dray::allocator::rules
