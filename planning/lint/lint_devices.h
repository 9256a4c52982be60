// SPDX-License-Identifier: Apache-2.0
// Facts about the devices of a cluster for dray lint, each computed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "base/frozen.h"
#include "cel/batch/lanes.h"
#include "cel/device_names.h"
#include "cel/selector_cache.h"
#include "cel/value/value.h"
#include "dray/features.h"
#include "planning/capacity/device_population.h"
#include "planning/objects/name_census.h"

namespace dray::planning::inline lint {

/// The devices selected by a class and selectors.
struct LintChoice {
  DevicePopulation::Choice of_class;
  DevicePopulation::Choice chosen;  // of the devices of the class
  size_t matching = 0;
  size_t usable = 0;        // matching devices in usable pools
  size_t most_on_node = 0;  // matching devices
  bool has_shareable = false;
  std::string troubled_pool = {};  // of a matching device: "driver/pool: why"
};

/// Not thread-safe.
class LintDevices {
 public:
  LintDevices(std::vector<Frozen<api::resource_v1::ResourceSlice>> slices,
              const allocator::Features& features,
              cel::SelectorCache& selectors);

  size_t size() const { return population_.devices().size(); }
  const DevicePopulation& population() const { return population_; }
  /// The slices of the pool's newest generation; null when there is no such pool. O(log pools).
  const controllers::PoolUsage* PoolOf(std::string_view driver, std::string_view name) const;
  cel::SelectorCache& selectors() const { return selectors_; }

  /// Valid as long as this. O(selectors), and O(devices) for a new combination.
  const LintChoice& Choose(const api::resource_v1::DeviceClass& device_class,
                           std::span<const api::resource_v1::DeviceSelector> selectors);

  bool Has(const cel::DeviceName& name) const;
  /// Whether any device has a name of the domain.
  bool HasDomain(cel::DeviceSection section, std::string_view domain) const;
  /// Names that could be meant, the most likely first.
  std::vector<CountedName> Near(const cel::DeviceName& name);
  /// The types of the devices' values of the name.
  std::set<cel::ValueKind> KindsOf(const cel::DeviceName& name) const;

  /// The attribute's values among the matching devices, as numbers; absent: some are lists.
  struct Values {
    size_t devices = 0;  // that have it
    std::set<uint32_t> codes;
    bool has_lists = false;
  };
  const Values& ValuesOf(const LintChoice& choice, const cel::DeviceName& attribute);

  /// Names of capacities of the matching devices, with the largest capacity of a single device.
  const std::map<std::string, api::Quantity>& CapacityOf(const LintChoice& choice);

  /// Taints that repel requests, by matching device that has one.
  struct Taints {
    std::set<std::string> keys;
    std::vector<api::resource_v1::DeviceTaint> taints;  // each once, of every effect
  };
  const Taints& TaintsOf(const LintChoice& choice);

 private:
  LintChoice Look(const api::resource_v1::DeviceClass& device_class,
                  std::span<const api::resource_v1::DeviceSelector> selectors);
  void Count(LintChoice& choice) const;
  const cel::batch::Column* Find(const cel::DeviceName& name) const;

  DevicePopulation population_;
  const allocator::Features features_;
  cel::SelectorCache& selectors_;
  std::map<std::string, DevicePopulation::Choice, std::less<>> classes_;
  std::map<std::string, std::unique_ptr<const LintChoice>, std::less<>> choices_;
  std::map<std::pair<const LintChoice*, cel::DeviceName>, Values> values_;
  std::map<const LintChoice*, std::map<std::string, api::Quantity>> capacity_;
  std::map<const LintChoice*, Taints> taints_;
  std::optional<NameCensus> census_;
};

}  // namespace dray::planning::inline lint
