// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/resource_slice.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/validation/collections.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/field_error.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

// An unset name was an empty one up to 1.32.
std::string ShownNodeName(const std::optional<std::string>& name, const FieldErrors& errors) {
  if (name.has_value()) return Shown(*name);
  return errors.Since(33) ? "null" : Shown("");
}

void CheckPoolOf(const v1::ResourcePool& pool, const Path& path, FieldErrors& errors) {
  CheckPool(pool.name, path.Child("name"), errors);
  if (pool.resource_slice_count <= 0) {
    errors.Invalid(path.Child("resourceSliceCount"),
                   std::to_string(pool.resource_slice_count),
                   "must be greater than zero");
  }
  if (pool.generation < 0) {
    errors.Invalid(path.Child("generation"),
                   std::to_string(pool.generation),
                   "must be greater than or equal to zero");
  }
}

void CheckUnchanged(const v1::ResourceSliceSpec& spec,
                    const v1::ResourceSliceSpec& old,
                    const Path& path,
                    FieldErrors& errors) {
  const Path pool = path.Child("pool");
  if (old.pool.name != spec.pool.name) {
    errors.Invalid(pool.Child("name"), Shown(spec.pool.name), kImmutable);
  }
  if (old.driver != spec.driver) {
    errors.Invalid(path.Child("driver"), Shown(spec.driver), kImmutable);
  }
  if (old.node_name != spec.node_name) {
    errors.Invalid(path.Child("nodeName"), ShownNodeName(spec.node_name, errors), kImmutable);
  }
}

// Something that is either unset or true. Whether it is true.
bool CheckFlag(const std::optional<bool>& flag, const Path& path, FieldErrors& errors) {
  if (!flag.has_value()) return false;
  if (!*flag) errors.Invalid(path, "false", "must be either unset or set to true");
  return *flag;
}

// Exactly one way to select nodes must be used; `chosen` are those used.
void CheckChoice(const v1::ResourceSliceSpec& spec,
                 const std::vector<std::string_view>& chosen,
                 const Path& path,
                 FieldErrors& errors) {
  const bool is_wide = errors.Since(33);
  const std::string_view rule =
      is_wide ? "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` "
                "is required"
              : "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required";
  if (chosen.empty()) {
    errors.Required(path, rule);
  } else if (chosen.size() > 1 && is_wide) {
    errors.Invalid(path,
                   Shown(fmt::format("{{{}}}", fmt::join(chosen, ", "))),
                   fmt::format("{}, but multiple fields are set", rule));
  } else if (chosen.size() > 1) {
    errors.Invalid(path, ShownAsGo(spec, errors.release()), rule);
  }
}

void CheckSliceNodes(const v1::ResourceSliceSpec& spec, const Path& path, FieldErrors& errors) {
  std::vector<std::string_view> chosen;
  const Path node_name = path.Child("nodeName");
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
  CheckChoice(spec, chosen, path, errors);
}

void CheckCounterSet(const v1::CounterSet& set, const Path& path, Findings& out) {
  const Path name = path.Child("name");
  if (set.name.empty()) {
    out.covered().Required(name);
  } else {
    CheckCoveredLabel(set.name, name, out);
  }
  CheckCounters(set.counters, path.Child("counters"), out);
}

// Up to 1.34 the counters of all devices and of all sets were counted.
void CheckCounterTotals(const v1::ResourceSliceSpec& spec, const Path& path, FieldErrors& errors) {
  size_t consumed = 0;
  for (const v1::Device& device : spec.devices) {
    for (const auto& consumption : device.consumes_counters)
      consumed += consumption.counters.size();
  }
  if (consumed > kSliceCountersMaxBefore35) {
    errors.Invalid(path.Child("devices"),
                   std::to_string(consumed),
                   fmt::format("the total number of counters in devices must not exceed {}",
                               kSliceCountersMaxBefore35));
  }
  size_t shared = 0;
  for (const v1::CounterSet& set : spec.shared_counters) shared += set.counters.size();
  if (shared > kCountersMax) {
    errors.Invalid(
        path.Child("sharedCounters"),
        std::to_string(shared),
        fmt::format("the total number of shared counters must not exceed {}", kCountersMax));
  }
}

void CheckCounterSets(const List<v1::CounterSet>& sets, const Path& path, Findings& out) {
  const auto check = [&](const v1::CounterSet& set, const Path& at) {
    CheckCounterSet(set, at, out);
  };
  const size_t max = out.Since(35) ? kCounterSetsMax : sets.size();
  if (!CheckItems(sets, max, Pass::kCovered, path, out, check)) return;
  CheckDistinctNames(sets, {.member = "name"}, path, out, [](const auto& set) {
    return std::string_view(set.name);
  });
}

bool HasLists(const v1::DeviceAttribute& attribute) {
  return attribute.ints.present() || attribute.bools.present() || attribute.strings.present() ||
         attribute.versions.present();
}

// Devices that have something that costs schedulers more: fewer of them fit into a slice.
size_t MaxDevices(const v1::ResourceSliceSpec& spec, const Findings& out) {
  const auto is_costly = [&](const v1::Device& device) {
    if (!device.taints.empty() || !device.consumes_counters.empty()) return true;
    return out.Since(36) && std::ranges::any_of(device.attributes, [](const auto& entry) {
             return HasLists(entry.second);
           });
  };
  const bool is_limited = out.Since(35) && std::ranges::any_of(spec.devices, is_costly);
  return is_limited ? kCostlyDevicesMax : kDevicesMax;
}

DeviceContext ContextOf(const v1::ResourceSliceSpec& spec, const Findings& out) {
  DeviceContext context = {.node_selection = spec.per_device_node_selection.value_or(false)
                                                 ? NodeSelection::kPerDevice
                                                 : NodeSelection::kPerSlice};
  if (out.Since(35)) return context;
  context.counters.emplace();
  for (const v1::CounterSet& set : spec.shared_counters) {
    context.counters->emplace(set.name, &set.counters);
  }
  return context;
}

void CheckDevices(const v1::ResourceSliceSpec& spec,
                  const v1::ResourceSliceSpec* old,
                  const Path& path,
                  Findings& out) {
  std::unordered_map<std::string_view, const v1::Device*> before;
  if (old != nullptr) {
    for (const v1::Device& device : old->devices) before.emplace(device.name, &device);
  }
  const DeviceContext context = ContextOf(spec, out);
  const auto check = [&](const v1::Device& device, const Path& at) {
    const auto found = before.find(device.name);
    CheckDevice(device, found == before.end() ? nullptr : found->second, context, at, out);
  };
  if (!CheckItems(spec.devices, MaxDevices(spec, out), Pass::kWritten, path, out, check)) return;
  CheckDistinctNames(
      spec.devices, {.member = "name", .pass = Pass::kWritten}, path, out, [](const auto& device) {
        return std::string_view(device.name);
      });
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

// Every device that consumes counters must state its kind of partition in this attribute.
void CheckPartitionType(const v1::ResourceSliceSpec& spec, const Path& path, Findings& out) {
  if (!spec.partition_type_attribute.has_value()) return;
  const std::string& name = *spec.partition_type_attribute;
  const Path at = path.Child("partitionTypeAttribute");
  const bool is_used = std::ranges::any_of(
      spec.devices, [](const v1::Device& device) { return !device.consumes_counters.empty(); });
  // No device can have an attribute of a wrong name.
  FieldErrors name_errors(out.profile.release);
  CheckAttributeName(name, at, name_errors);
  const Path devices = path.Child("devices");
  for (size_t i = 0; i < spec.devices.size() && name_errors.empty(); ++i) {
    if (spec.devices[i].consumes_counters.empty()) continue;
    const Path device = devices.Index(i);
    const Path attributes = device.Child("attributes");
    const Path entry = attributes.Key(name);
    const v1::DeviceAttribute* attribute = FindAttribute(spec.devices[i], name, spec.driver);
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

std::vector<ErrorCause> ValidateSlice(const v1::ResourceSlice& slice,
                                      const v1::ResourceSlice* old,
                                      const Options& options) {
  const v1::ResourceSliceSpec& spec = slice.spec;
  const v1::ResourceSliceSpec* old_spec = old == nullptr ? nullptr : &old->spec;
  const Path path("spec");
  Findings out(options.profile, options.version);
  CheckDriver(spec.driver, path.Child("driver"), out.written);
  CheckPoolOf(spec.pool, path.Child("pool"), out.written);
  if (old_spec != nullptr) CheckUnchanged(spec, *old_spec, path, out.written);
  CheckSliceNodes(spec, path, out.written);
  if (spec.shared_counters.present() && spec.devices.present() && out.Since(35)) {
    out.written.Invalid(path, Shown(""), "only one of `sharedCounters` or `devices` is allowed");
  }
  CheckDevices(spec, old_spec, path.Child("devices"), out);
  if (!out.Since(35)) CheckCounterTotals(spec, path, out.written);
  CheckCounterSets(spec.shared_counters, path.Child("sharedCounters"), out);
  CheckPartitionType(spec, path, out);
  CheckSkippedOperations(spec.skip_node_operations, path.Child("skipNodeOperations"), out);
  return std::move(out).Take();
}

}  // namespace dray::api::validation::inline devices
