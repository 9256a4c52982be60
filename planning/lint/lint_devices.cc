// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_devices.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "allocator/rules/consumable_capacity.h"
#include "cel/api_device.h"
#include "cel/batch/device_table.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;
using cel::batch::Column;
using cel::batch::ColumnKey;
using cel::batch::DeviceTable;
using cel::batch::Field;

}  // namespace

LintDevices::LintDevices(std::vector<Frozen<v1::ResourceSlice>> slices,
                         const allocator::Features& features,
                         cel::SelectorCache& selectors)
    : population_(std::move(slices), {}, features), features_(features), selectors_(selectors) {}

const controllers::PoolUsage* LintDevices::PoolOf(std::string_view driver,
                                                  std::string_view name) const {
  const auto& pools = population_.pools();
  const auto found =
      std::ranges::lower_bound(pools, std::pair(driver, name), {}, [](const PopulationPool& pool) {
        return std::pair(pool.driver, pool.name);
      });
  const bool is_there = found != pools.end() && found->driver == driver && found->name == name;
  return is_there ? found->usage : nullptr;
}

const LintChoice& LintDevices::Choose(const v1::DeviceClass& device_class,
                                      std::span<const v1::DeviceSelector> selectors) {
  std::string key = device_class.metadata.name;
  for (const v1::DeviceSelector& selector : selectors) {
    key += '\0';
    if (selector.cel.has_value()) key += selector.cel->expression;
  }
  const auto known = choices_.find(key);
  if (known != choices_.end()) return *known->second;
  auto choice = std::make_unique<const LintChoice>(Look(device_class, selectors));
  return *choices_.emplace(std::move(key), std::move(choice)).first->second;
}

LintChoice LintDevices::Look(const v1::DeviceClass& device_class,
                             std::span<const v1::DeviceSelector> selectors) {
  auto known = classes_.find(device_class.metadata.name);
  if (known == classes_.end()) {
    known = classes_
                .emplace(device_class.metadata.name,
                         population_.Choose(device_class.spec.selectors, selectors_))
                .first;
  }
  LintChoice choice{.of_class = known->second,
                    .chosen = population_.Choose(selectors, selectors_, known->second.matching)};
  Count(choice);
  return choice;
}

void LintDevices::Count(LintChoice& choice) const {
  std::unordered_map<std::string_view, size_t> by_node;
  size_t everywhere = 0;
  choice.chosen.matching.ForEach([&](size_t lane) {
    const PopulationDevice& device = population_.devices()[lane];
    const PopulationPool& pool = population_.pools()[device.pool];
    ++choice.matching;
    if (pool.trouble.empty()) {
      ++choice.usable;
    } else if (choice.troubled_pool.empty()) {
      choice.troubled_pool = fmt::format("{}/{}: {}", pool.driver, pool.name, pool.trouble);
    }
    ++(device.node.empty() ? everywhere : by_node[device.node]);
    choice.has_shareable =
        choice.has_shareable || allocator::rules::IsShareable(*device.device, features_);
  });
  for (const auto& [node, devices] : by_node)
    choice.most_on_node = std::max(choice.most_on_node, devices);
  choice.most_on_node += everywhere;
}

const Column* LintDevices::Find(const cel::DeviceName& name) const {
  const bool is_attribute = name.section == cel::DeviceSection::kAttributes;
  return population_.table().Find({.field = is_attribute ? Field::kAttribute : Field::kCapacity,
                                   .domain = name.domain,
                                   .id = name.id});
}

bool LintDevices::Has(const cel::DeviceName& name) const {
  return Find(name) != nullptr;
}

bool LintDevices::HasDomain(cel::DeviceSection section, std::string_view domain) const {
  const bool is_attribute = section == cel::DeviceSection::kAttributes;
  const ColumnKey key{.field = is_attribute ? Field::kAttributeDomain : Field::kCapacityDomain,
                      .domain = std::string(domain)};
  return population_.table().Find(key) != nullptr;
}

std::vector<CountedName> LintDevices::Near(const cel::DeviceName& name) {
  if (!census_.has_value()) {
    census_.emplace();
    for (const PopulationDevice& device : population_.devices())
      census_->Add(cel::DeviceOf(device.driver(), *device.device));
  }
  return census_->Near(name);
}

std::set<cel::ValueKind> LintDevices::KindsOf(const cel::DeviceName& name) const {
  std::set<cel::ValueKind> kinds;
  const Column* const column = Find(name);
  for (size_t i = 1; column != nullptr && i < column->values.size(); ++i)
    kinds.insert(column->values[i].kind());
  return kinds;
}

const LintDevices::Values& LintDevices::ValuesOf(const LintChoice& choice,
                                                 const cel::DeviceName& attribute) {
  const auto [known, is_new] = values_.try_emplace({&choice, attribute});
  Values& values = known->second;
  const Column* const column = Find(attribute);
  if (!is_new || column == nullptr) return values;
  choice.chosen.matching.ForEach([&](size_t lane) {
    const uint32_t code = DeviceTable::CodeAt(*column, lane);
    if (code == 0) return;
    ++values.devices;
    values.codes.insert(code);
    values.has_lists = values.has_lists || column->values[code].kind() == cel::ValueKind::kList;
  });
  return values;
}

const std::map<std::string, api::Quantity>& LintDevices::CapacityOf(const LintChoice& choice) {
  const auto [known, is_new] = capacity_.try_emplace(&choice);
  if (!is_new) return known->second;
  choice.chosen.matching.ForEach([&](size_t lane) {
    for (const auto& [name, capacity] : population_.devices()[lane].device->capacity) {
      api::Quantity& most = known->second.try_emplace(name, capacity.value).first->second;
      if (capacity.value > most) most = capacity.value;
    }
  });
  return known->second;
}

const LintDevices::Taints& LintDevices::TaintsOf(const LintChoice& choice) {
  const auto [known, is_new] = taints_.try_emplace(&choice);
  Taints& found = known->second;
  if (!is_new) return found;
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  choice.chosen.matching.ForEach([&](size_t lane) {
    for (const v1::DeviceTaint& taint : population_.devices()[lane].device->taints) {
      if (!seen.emplace(taint.key, taint.value, taint.effect).second) continue;
      found.taints.push_back(taint);
      found.keys.insert(taint.key);
    }
  });
  return found;
}

}  // namespace dray::planning::inline lint
