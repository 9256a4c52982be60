// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/seen_pools.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/selectors/node_selector_match.h"
#include "base/try.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using allocator::Features;
using Slices = std::vector<const v1::ResourceSlice*>;

template <class Chooser>
Result<bool> Matches(const api::core_v1::Node& node, const Chooser& chooser) {
  const auto& [name, labels] = std::tie(node.metadata.name, node.metadata.labels);
  if (chooser.node_name.has_value() && !chooser.node_name->empty())
    return *chooser.node_name == name;
  if (chooser.all_nodes.value_or(false)) return true;
  if (!chooser.node_selector.has_value()) return false;
  DRAY_TRY(const api::NodeSelector selector,
           api::NodeSelector::Parse(api::NodeTerms(*chooser.node_selector)));
  return selector.Matches(labels, name);
}

bool NamesGroups(const v1::ResourceSlice& slice) {
  for (const v1::Device& device : slice.spec.devices) {
    for (const auto& consumption : device.consumes_counters) {
      if (!consumption.compatibility_groups.empty()) return true;
    }
  }
  return false;
}

/// Reads the slices for one node.
class Reader {
 public:
  Reader(const Problem& problem, const api::core_v1::Node& node)
      : features_(problem.features),
        node_(node),
        is_stable_(problem.features.Picked() == allocator::Implementation::kStable) {
    // A slice with disabled features is ignored.
    for (const auto& slice : problem.slices) {
      if (features_.compatibility_groups || !NamesGroups(*slice)) all_.push_back(slice.get());
    }
  }

  Result<SeenPools> Read() {
    std::map<std::pair<std::string, std::string>, Slices> relevant;
    DRAY_TRY(const Slices slices, RelevantSlices());
    for (const v1::ResourceSlice* slice : slices)
      relevant[{slice->spec.driver, slice->spec.pool.name}].push_back(slice);
    SeenPools seen;
    for (const auto& [key, list] : relevant) {
      std::optional<SeenPool> pool = See(key.first, key.second, list);
      if (pool.has_value()) seen.pools.push_back(*std::move(pool));
    }
    if (!is_stable_) {
      std::ranges::sort(seen.pools, {}, [](const SeenPool& pool) {
        return std::tuple(pool.is_last, std::string_view(pool.driver), std::string_view(pool.name));
      });
    }
    for (size_t i = 0; i < seen.pools.size(); ++i) {
      for (const v1::ResourceSlice* slice : seen.pools[i].here) {
        for (const v1::Device& device : slice->spec.devices)
          seen.devices.push_back({slice, &device, i});
      }
    }
    return seen;
  }

 private:
  /// Slices of the node itself come first, except in the stable implementation.
  Result<Slices> RelevantSlices() const {
    const auto is_local = [](const v1::ResourceSlice* slice) {
      return slice->spec.node_name.has_value() && !slice->spec.node_name->empty();
    };
    Slices candidates = all_;
    if (!is_stable_) {
      candidates.clear();
      std::ranges::copy_if(all_, std::back_inserter(candidates), is_local);
      std::ranges::copy_if(all_, std::back_inserter(candidates), std::not_fn(is_local));
    }
    Slices relevant;
    for (const v1::ResourceSlice* slice : candidates) {
      DRAY_TRY(const bool is_relevant, IsRelevant(slice->spec));
      if (is_relevant) relevant.push_back(slice);
    }
    return relevant;
  }

  Result<bool> IsRelevant(const v1::ResourceSliceSpec& spec) const {
    const bool has_counters = !spec.shared_counters.empty();
    if (!features_.partitionable_devices &&
        (has_counters || spec.per_device_node_selection.has_value())) {
      return false;
    }
    if (is_stable_ && has_counters) return true;
    const bool names_node = spec.node_name.has_value() && !spec.node_name->empty();
    if (names_node || spec.all_nodes.value_or(false) || spec.node_selector.has_value())
      return IsForNode(node_, spec);
    if (!spec.per_device_node_selection.value_or(false)) return false;
    for (const v1::Device& device : spec.devices) {
      DRAY_TRY(const bool matches, IsForNode(node_, device));
      if (matches) return true;
    }
    return false;
  }

  bool HasCounters(const v1::ResourceSlice& slice) const {
    return features_.partitionable_devices && !slice.spec.shared_counters.empty();
  }

  /// Absent if the pool has a newer generation elsewhere.
  std::optional<SeenPool> See(const std::string& driver,
                              const std::string& name,
                              const Slices& relevant) const {
    int64_t newest = relevant.front()->spec.pool.generation;
    for (const v1::ResourceSlice* slice : relevant)
      newest = std::max(newest, slice->spec.pool.generation);
    Slices here;
    for (const v1::ResourceSlice* slice : relevant) {
      if (slice->spec.pool.generation == newest) here.push_back(slice);
    }
    const int64_t wanted = here.front()->spec.pool.resource_slice_count;
    Slices everywhere = here;
    if (std::ssize(here) != wanted) {
      everywhere.clear();
      for (const v1::ResourceSlice* slice : all_) {
        if (slice->spec.driver != driver || slice->spec.pool.name != name) continue;
        if (slice->spec.pool.generation > newest) return std::nullopt;
        if (slice->spec.pool.generation == newest) everywhere.push_back(slice);
      }
    }
    SeenPool pool{.driver = driver, .name = name};
    if (std::ssize(everywhere) != wanted) {
      pool.health = PoolHealth::kIncomplete;
      return pool;
    }
    Sort(here, everywhere, pool);
    return pool;
  }

  void Sort(Slices here, const Slices& everywhere, SeenPool& pool) const {
    const auto name_of = [](const v1::ResourceSlice* slice) -> const std::string& {
      return slice->metadata.name;
    };
    if (!is_stable_) std::ranges::sort(here, {}, name_of);
    Slices counters;
    std::set<std::string_view> names;
    for (const v1::ResourceSlice* slice : here) {
      names.insert(slice->metadata.name);
      (HasCounters(*slice) ? counters : pool.here).push_back(slice);
    }
    // The stable implementation always considers counter slices.
    for (const v1::ResourceSlice* slice : everywhere) {
      if (here.size() == everywhere.size() || names.contains(slice->metadata.name)) continue;
      (HasCounters(*slice) ? counters : pool.elsewhere).push_back(slice);
    }
    for (const v1::ResourceSlice* slice : counters) {
      for (const v1::CounterSet& set : slice->spec.shared_counters)
        pool.counter_sets.push_back(&set);
    }
    Slices checked = is_stable_ ? here : pool.here;
    checked.insert(checked.end(), pool.elsewhere.begin(), pool.elsewhere.end());
    if (!NamesAreUnique(pool) || !CountersExist(checked, pool)) {
      pool = {.driver = pool.driver, .name = pool.name, .health = PoolHealth::kInvalid};
      return;
    }
    for (const v1::ResourceSlice* slice : pool.here) {
      for (const v1::Device& device : slice->spec.devices)
        pool.is_last = pool.is_last || device.binding_conditions.present();
    }
  }

  bool NamesAreUnique(const SeenPool& pool) const {
    std::set<std::string_view> devices;
    for (const v1::ResourceSlice* slice : pool.here) {
      for (const v1::Device& device : slice->spec.devices) {
        if (!devices.insert(device.name).second) return false;
      }
    }
    std::set<std::string_view> sets;
    for (const v1::CounterSet* set : pool.counter_sets) {
      if (!sets.insert(set->name).second) return false;
    }
    return true;
  }

  /// Whether all counters that devices draw on exist.
  bool CountersExist(const Slices& slices, const SeenPool& pool) const {
    if (!features_.partitionable_devices) return true;
    for (const v1::ResourceSlice* slice : slices) {
      for (const v1::Device& device : slice->spec.devices) {
        for (const auto& consumption : device.consumes_counters) {
          if (!Exists(consumption, pool)) return false;
        }
      }
    }
    return true;
  }

  static bool Exists(const v1::DeviceCounterConsumption& consumption, const SeenPool& pool) {
    for (const v1::CounterSet* set : pool.counter_sets) {
      if (set->name != consumption.counter_set) continue;
      return std::ranges::all_of(consumption.counters, [&](const auto& entry) {
        return set->counters.contains(entry.first);
      });
    }
    return false;
  }

  const Features& features_;
  const api::core_v1::Node& node_;
  bool is_stable_;
  Slices all_;
};

}  // namespace

Result<SeenPools> SeePools(const Problem& problem, const api::core_v1::Node& node) {
  return Reader(problem, node).Read();
}

Result<bool> IsForNode(const api::core_v1::Node& node, const v1::ResourceSliceSpec& spec) {
  return Matches(node, spec);
}
Result<bool> IsForNode(const api::core_v1::Node& node, const v1::Device& device) {
  return Matches(node, device);
}

}  // namespace dray::judges
