// SPDX-License-Identifier: Apache-2.0
#include "api/validation/resource_slice.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/validation/device_rules.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;

constexpr std::string_view kImmutable = "field is immutable";

// A set field as messages show it; null when unset.
std::string ShownOptional(const std::optional<std::string>& value) {
  return value.has_value() ? Shown(*value) : "null";
}

void CheckIdentity(const v1::ResourceSliceSpec& spec,
                   const v1::ResourceSliceSpec* old,
                   const Path& path,
                   FieldErrors& errors) {
  const Path driver = path.Child("driver");
  CheckDriver(spec.driver, driver, errors);
  if (old != nullptr && old->driver != spec.driver) {
    errors.Invalid(driver, Shown(spec.driver), kImmutable);
  }
  const Path pool = path.Child("pool");
  const Path name = pool.Child("name");
  CheckPool(spec.pool.name, name, errors);
  if (spec.pool.resource_slice_count <= 0) {
    errors.Invalid(pool.Child("resourceSliceCount"),
                   std::to_string(spec.pool.resource_slice_count),
                   "must be greater than zero");
  }
  if (spec.pool.generation < 0) {
    errors.Invalid(pool.Child("generation"),
                   std::to_string(spec.pool.generation),
                   "must be greater than or equal to zero");
  }
  if (old != nullptr && old->pool.name != spec.pool.name) {
    errors.Invalid(name, Shown(spec.pool.name), kImmutable);
  }
}

// Something that is either unset or true. Whether it is true.
bool CheckFlag(const std::optional<bool>& flag, const Path& path, FieldErrors& errors) {
  if (!flag.has_value()) return false;
  if (!*flag) errors.Invalid(path, "false", "must be either unset or set to true");
  return *flag;
}

void CheckSliceNodes(const v1::ResourceSliceSpec& spec,
                     const v1::ResourceSliceSpec* old,
                     const Path& path,
                     FieldErrors& errors) {
  std::vector<std::string_view> chosen;
  const Path node_name = path.Child("nodeName");
  if (old != nullptr && old->node_name != spec.node_name) {
    errors.Invalid(node_name, ShownOptional(spec.node_name), kImmutable);
  }
  if (spec.node_name.has_value()) {
    if (spec.node_name->empty()) {
      errors.Invalid(node_name, Shown(""), "must be either unset or set to a non-empty string");
    } else {
      chosen.emplace_back("`nodeName`");
      CheckSubdomainShaped(*spec.node_name, node_name, errors);
    }
  }
  if (spec.node_selector.has_value()) {
    chosen.emplace_back("`nodeSelector`");
    const Path selector = path.Child("nodeSelector");
    CheckNodeSelector(*spec.node_selector, selector, errors);
    // Several terms would be an OR, which schedulers cannot take apart.
    const auto& terms = spec.node_selector->node_selector_terms;
    if (terms.size() != 1) {
      errors.Invalid(selector.Child("nodeSelectorTerms"),
                     ShownStruct(terms),
                     "must have exactly one node selector term");
    }
  }
  if (CheckFlag(spec.all_nodes, path.Child("allNodes"), errors)) chosen.emplace_back("`allNodes`");
  if (CheckFlag(spec.per_device_node_selection, path.Child("perDeviceNodeSelection"), errors)) {
    chosen.emplace_back("`perDeviceNodeSelection`");
  }
  constexpr std::string_view kRule =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (chosen.empty()) {
    errors.Required(path, kRule);
  } else if (chosen.size() > 1) {
    errors.Invalid(path,
                   Shown(fmt::format("{{{}}}", fmt::join(chosen, ", "))),
                   fmt::format("{}, but multiple fields are set", kRule));
  }
}

void CheckCounterSets(const std::vector<v1::CounterSet>& sets, const Path& path, Findings& out) {
  if (!IsWithin(sets.size(), kCounterSetsMax, path, out.written)) return;
  for (size_t i = 0; i < sets.size(); ++i) {
    const Path at = path.Index(i);
    const Path name = at.Child("name");
    if (sets[i].name.empty()) {
      out.declared.Required(name);
    } else {
      CheckDeclaredLabel(sets[i].name, name, out.declared);
    }
    CheckCounters(sets[i].counters, at.Child("counters"), out);
  }
  CheckDistinct(
      sets,
      path,
      out.written,
      [](const auto& item) { return std::string_view(item.name); },
      [](const auto& set) { return Shown(set.name); });
}

bool HasLists(const v1::DeviceAttribute& attribute) {
  return !attribute.ints.empty() || !attribute.bools.empty() || !attribute.strings.empty() ||
         !attribute.versions.empty();
}

// Whether a device has something that costs schedulers more, so that fewer fit into a slice.
bool IsCostly(const v1::Device& device) {
  return !device.taints.empty() || !device.consumes_counters.empty() ||
         std::ranges::any_of(device.attributes,
                             [](const auto& entry) { return HasLists(entry.second); });
}

void CheckDevices(const v1::ResourceSliceSpec& spec,
                  const v1::ResourceSliceSpec* old,
                  const Path& path,
                  Findings& out) {
  const size_t max = std::ranges::any_of(spec.devices, IsCostly) ? kCostlyDevicesMax : kDevicesMax;
  if (!IsWithin(spec.devices.size(), max, path, out.written)) return;
  std::unordered_map<std::string_view, const v1::Device*> before;
  if (old != nullptr) {
    for (const v1::Device& device : old->devices) before.emplace(device.name, &device);
  }
  const NodeSelection node_selection = spec.per_device_node_selection.value_or(false)
                                           ? NodeSelection::kPerDevice
                                           : NodeSelection::kPerSlice;
  std::set<std::string_view> names;
  for (size_t i = 0; i < spec.devices.size(); ++i) {
    const v1::Device& device = spec.devices[i];
    const auto found = before.find(device.name);
    CheckDevice(device,
                found == before.end() ? nullptr : found->second,
                node_selection,
                path.Index(i),
                out);
    if (!names.insert(device.name).second) {
      out.written.Duplicate(path.Index(i), Shown(device.name));
    }
  }
}

// The attribute `name` of a device; without its domain it belongs to the driver's.
const v1::DeviceAttribute* FindAttribute(const v1::Device& device,
                                         std::string_view name,
                                         std::string_view driver) {
  auto found = device.attributes.find(name);
  if (found != device.attributes.end()) return &found->second;
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.substr(0, slash) != driver) return nullptr;
  found = device.attributes.find(name.substr(slash + 1));
  return found == device.attributes.end() ? nullptr : &found->second;
}

// Every device that draws from counters says by this attribute which kind of partition it is.
void CheckPartitionType(const v1::ResourceSliceSpec& spec, const Path& path, Findings& out) {
  if (!spec.partition_type_attribute.has_value()) return;
  const std::string& name = *spec.partition_type_attribute;
  const Path at = path.Child("partitionTypeAttribute");
  const Path devices = path.Child("devices");
  bool is_used = false;
  for (size_t i = 0; i < spec.devices.size(); ++i) {
    if (spec.devices[i].consumes_counters.empty()) continue;
    is_used = true;
    const Path device = devices.Index(i);
    const Path attributes = device.Child("attributes");
    const Path entry = attributes.Key(name, kDeviceKeyMax);
    const v1::DeviceAttribute* attribute = FindAttribute(spec.devices[i], name, spec.driver);
    if (!name.contains('/')) continue;
    if (attribute == nullptr) {
      out.written.Required(entry,
                           "device consumes counters and `partitionTypeAttribute` names this "
                           "attribute, so it must be set");
    } else if (!attribute->string.has_value()) {
      out.written.Invalid(
          entry,
          ShownStruct(*attribute),
          "must be a string value because `partitionTypeAttribute` names this attribute");
    }
  }
  if (!is_used) {
    out.written.Invalid(
        at, Shown(name), "may only be set on a slice which declares devices that consume counters");
  }
  CheckDeclaredAttributeName(name, at, out.declared);
}

}  // namespace

std::vector<Cause> ValidateSlice(const v1::ResourceSlice& slice, const v1::ResourceSlice* old) {
  const v1::ResourceSliceSpec& spec = slice.spec;
  const v1::ResourceSliceSpec* old_spec = old == nullptr ? nullptr : &old->spec;
  const Path path("spec");
  Findings out;
  CheckIdentity(spec, old_spec, path, out.written);
  CheckSliceNodes(spec, old_spec, path, out.written);
  if (!spec.shared_counters.empty() && !spec.devices.empty()) {
    out.written.Invalid(path, Shown(""), "only one of `sharedCounters` or `devices` is allowed");
  }
  CheckCounterSets(spec.shared_counters, path.Child("sharedCounters"), out);
  CheckDevices(spec, old_spec, path.Child("devices"), out);
  CheckPartitionType(spec, path, out);
  CheckSkippedOperations(spec.skip_node_operations, path.Child("skipNodeOperations"), out);
  return std::move(out).Take();
}

}  // namespace dray::api::validation
