// SPDX-License-Identifier: Apache-2.0
// The devices of slices.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/device_names.h"
#include "api/names.h"
#include "api/semver.h"
#include "api/validation/device_rules.h"
#include "api/validation/resource_slice.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;
using SetMembers = std::vector<std::string_view>;

constexpr std::string_view kNodeChoices = "`nodeName`, `nodeSelector`, or `allNodes`";
constexpr std::string_view kHugePages = "hugepages-";

SetMembers MembersOf(const v1::DeviceAttribute& attribute) {
  SetMembers members;
  if (attribute.int_.has_value()) members.emplace_back("int");
  if (attribute.bool_.has_value()) members.emplace_back("bool");
  if (attribute.string.has_value()) members.emplace_back("string");
  if (attribute.version.has_value()) members.emplace_back("version");
  if (!attribute.ints.empty()) members.emplace_back("ints");
  if (!attribute.bools.empty()) members.emplace_back("bools");
  if (!attribute.strings.empty()) members.emplace_back("strings");
  if (!attribute.versions.empty()) members.emplace_back("versions");
  return members;
}

size_t ValuesIn(const v1::DeviceAttribute& attribute) {
  const size_t in_lists = attribute.ints.size() + attribute.bools.size() +
                          attribute.strings.size() + attribute.versions.size();
  const int singles = static_cast<int>(attribute.int_.has_value()) +
                      static_cast<int>(attribute.bool_.has_value()) +
                      static_cast<int>(attribute.string.has_value()) +
                      static_cast<int>(attribute.version.has_value());
  return in_lists + static_cast<size_t>(singles);
}

// Exactly one member of a union, in the words of declarative validation.
void CheckUnion(const SetMembers& members,
                std::string_view all,
                const Path& path,
                FieldErrors& errors) {
  if (members.size() == 1) return;
  if (members.empty()) {
    errors.Invalid(path, Shown(""), fmt::format("must specify one of: {}", all));
  } else {
    errors.Invalid(path,
                   Shown(fmt::format("{{{}}}", fmt::join(members, ", "))),
                   fmt::format("must specify exactly one of: {}", all));
  }
}

void CheckText(std::string_view text, const Path& path, FieldErrors& errors) {
  if (text.size() > kAttributeTextMax) errors.TooLong(path, kAttributeTextMax);
}

void CheckVersion(std::string_view text, const Path& path, FieldErrors& errors) {
  if (!IsSemver(text)) {
    errors.Invalid(path, Shown(text), "must be a string compatible with semver.org spec 2.0.0");
  }
  CheckText(text, path, errors);
}

void CheckAttribute(const v1::DeviceAttribute& attribute, const Path& path, Findings& out) {
  if (attribute.string.has_value()) CheckText(*attribute.string, path.Child("string"), out.written);
  if (attribute.version.has_value()) {
    CheckVersion(*attribute.version, path.Child("version"), out.written);
  }
  const Path strings = path.Child("strings");
  for (size_t i = 0; i < attribute.strings.size(); ++i) {
    CheckText(attribute.strings[i], strings.Index(i), out.written);
  }
  const Path versions = path.Child("versions");
  for (size_t i = 0; i < attribute.versions.size(); ++i) {
    CheckVersion(attribute.versions[i], versions.Index(i), out.written);
  }
  CheckUnion(MembersOf(attribute),
             "`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`",
             path,
             out.declared);
}

void CheckAttributesAndCapacity(const v1::Device& device, const Path& path, Findings& out) {
  const size_t entries = device.attributes.size() + device.capacity.size();
  if (entries > kAttributesAndCapacitiesMax) {
    out.written.Invalid(path,
                        std::to_string(entries),
                        fmt::format("the total number of attributes and capacities must not "
                                    "exceed {}",
                                    kAttributesAndCapacitiesMax));
  }
  size_t values = 0;
  for (const auto& [name, attribute] : device.attributes) values += ValuesIn(attribute);
  if (values > kAttributeValuesMax) {
    out.written.Invalid(path,
                        std::to_string(values),
                        fmt::format("the total number of attribute values must not exceed {}",
                                    kAttributeValuesMax));
  }
  const Path attributes = path.Child("attributes");
  for (const auto& [name, attribute] : device.attributes) {
    out.written.Problems(attributes, CheckDeviceKey(name));
    CheckAttribute(attribute, attributes.Key(name, kDeviceKeyMax), out);
  }
}

void CheckCapacities(const v1::Device& device,
                     const v1::Device* old,
                     const Path& path,
                     Findings& out) {
  const bool is_shareable = device.allow_multiple_allocations.value_or(false);
  for (const auto& [name, capacity] : device.capacity) {
    out.written.Problems(path, CheckDeviceKey(name));
    if (!capacity.request_policy.has_value()) continue;
    const Path entry = path.Key(name, kDeviceKeyMax);
    const Path policy = entry.Child("requestPolicy");
    // What was accepted before stays, even when the device is no longer shared.
    if (old != nullptr) {
      const auto before = old->capacity.find(name);
      if (before != old->capacity.end() && before->second == capacity) continue;
    }
    if (!is_shareable) {
      out.written.Forbidden(policy, "allowMultipleAllocations must be true");
      continue;
    }
    CheckCapacityPolicy(capacity, policy, out);
  }
}

void CheckTaints(const v1::Device& device, const v1::Device* old, const Path& path, Findings& out) {
  if (old != nullptr && old->taints == device.taints) return;
  if (!IsWithin(device.taints.size(), kTaintsMax, path, out.written)) return;
  for (size_t i = 0; i < device.taints.size(); ++i) {
    CheckTaint(device.taints[i], path.Index(i), out);
  }
}

void CheckConsumption(const v1::DeviceCounterConsumption& consumption,
                      const Path& path,
                      Findings& out) {
  const Path set = path.Child("counterSet");
  if (consumption.counter_set.empty()) {
    out.declared.Required(set);
  } else {
    CheckDeclaredLabel(consumption.counter_set, set, out.declared);
  }
  CheckCounters(consumption.counters, path.Child("counters"), out);
  const Path groups = path.Child("compatibilityGroups");
  if (!IsWithin(
          consumption.compatibility_groups.size(), kCompatibilityGroupsMax, groups, out.declared)) {
    return;
  }
  for (size_t i = 0; i < consumption.compatibility_groups.size(); ++i) {
    CheckDeclaredLabel(consumption.compatibility_groups[i], groups.Index(i), out.declared);
  }
  CheckDistinctStrings(consumption.compatibility_groups, groups, out.declared);
}

void CheckConsumedCounters(const v1::Device& device, const Path& path, Findings& out) {
  const auto& sets = device.consumes_counters;
  if (!IsWithin(sets.size(), kConsumedSetsMax, path, out.declared)) return;
  for (size_t i = 0; i < sets.size(); ++i) CheckConsumption(sets[i], path.Index(i), out);
  CheckDistinct(
      sets,
      path,
      out.declared,
      [](const auto& item) { return std::string_view(item.counter_set); },
      [](const auto& consumption) { return ShownStruct(consumption); });
}

void CheckOwnNodes(const v1::Device& device, const Path& path, Findings& out) {
  std::vector<std::string_view> chosen;
  if (device.node_name.has_value()) {
    const Path name = path.Child("nodeName");
    if (device.node_name->empty()) {
      out.written.Invalid(name, Shown(""), "must be either unset or set to a non-empty string");
    } else {
      chosen.emplace_back("`nodeName`");
      CheckSubdomainShaped(*device.node_name, name, out.written);
    }
  }
  if (device.node_selector.has_value()) {
    chosen.emplace_back("`nodeSelector`");
    CheckNodeSelector(*device.node_selector, path.Child("nodeSelector"), out.written);
  }
  if (device.all_nodes.has_value()) {
    if (*device.all_nodes) {
      chosen.emplace_back("`allNodes`");
    } else {
      out.written.Invalid(path.Child("allNodes"), "false", "must be either unset or set to true");
    }
  }
  const std::string rule = fmt::format(
      "exactly one of {} is required when `perDeviceNodeSelection` is set to true in the "
      "ResourceSlice spec",
      kNodeChoices);
  if (chosen.empty()) {
    out.written.Required(path, rule);
  } else if (chosen.size() > 1) {
    out.written.Invalid(path, Shown(fmt::format("{{{}}}", fmt::join(chosen, ", "))), rule);
  }
}

void CheckNodes(const v1::Device& device,
                NodeSelection node_selection,
                const Path& path,
                Findings& out) {
  if (node_selection == NodeSelection::kPerDevice) {
    CheckOwnNodes(device, path, out);
  } else if (device.node_name.has_value() || device.node_selector.has_value() ||
             device.all_nodes.has_value()) {
    out.written.Invalid(path,
                        "null",
                        "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                        "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
  }
}

bool IsNodeAllocatable(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames = {"cpu", "memory", "ephemeral-storage"};
  for (const std::string_view one : kNames) {
    if (name == one) return true;
  }
  return name.starts_with(kHugePages);
}

void CheckPositive(const std::optional<Quantity>& quantity, const Path& path, FieldErrors& errors) {
  if (quantity.has_value() && quantity->Sign() <= 0) {
    errors.Invalid(path, Shown(quantity->ToString()), "must be positive");
  }
}

void CheckMapping(const v1::NodeAllocatableMapping& mapping,
                  const v1::Device& device,
                  const Path& path,
                  Findings& out) {
  const Path key = path.Child("capacityKey");
  const Path multiplier = path.Child("capacityMultiplier");
  if (mapping.capacity_key.has_value()) {
    if (mapping.capacity_key->empty()) {
      out.written.Invalid(key, Shown(""), "capacityKey must not be an empty string");
    } else if (!device.capacity.contains(*mapping.capacity_key)) {
      out.written.NotFound(key, Shown(*mapping.capacity_key));
    }
    if (!mapping.capacity_multiplier.has_value()) {
      out.written.Required(multiplier, "capacityMultiplier is required when capacityKey is set");
    }
  } else if (mapping.capacity_multiplier.has_value()) {
    out.written.Required(key, "capacityKey is required when capacityMultiplier is set");
  }
  CheckPositive(mapping.capacity_multiplier, multiplier, out.written);
  CheckPositive(mapping.device_multiplier, path.Child("deviceMultiplier"), out.written);
  SetMembers members;
  if (mapping.capacity_key.has_value()) members.emplace_back("capacityKey");
  if (mapping.device_multiplier.has_value()) members.emplace_back("deviceMultiplier");
  CheckUnion(members, "`capacityKey`, `deviceMultiplier`", path, out.declared);
}

void CheckOverhead(const v1::NodeAllocatableOverhead& overhead, const Path& path, Findings& out) {
  if (!overhead.per_pod.has_value() && !overhead.per_container.has_value()) {
    out.written.Invalid(path, Shown(""), "at least one of perPod or perContainer must be set");
  }
  const auto check = [&](const std::optional<Quantity>& quantity, std::string_view name) {
    if (quantity.has_value() && quantity->Sign() < 0) {
      out.written.Invalid(path.Child(name), Shown(quantity->ToString()), "must be non-negative");
    }
  };
  check(overhead.per_pod, "perPod");
  check(overhead.per_container, "perContainer");
}

void CheckNodeAllocatable(const v1::Device& device, const Path& path, Findings& out) {
  for (const auto& [name, resource] : device.node_allocatable_resources) {
    const Path at = path.Key(name);
    if (!IsNodeAllocatable(name)) {
      out.written.Invalid(at, Shown(name), "must be a node allocatable resource name");
    }
    if (!resource.mapping.has_value() && !resource.overhead.has_value()) {
      out.written.Required(at, "at least one of mapping or overhead must be set");
    }
    if (resource.mapping.has_value()) {
      CheckMapping(*resource.mapping, device, at.Child("mapping"), out);
    }
    if (resource.overhead.has_value()) {
      CheckOverhead(*resource.overhead, at.Child("overhead"), out);
    }
  }
}

}  // namespace

void CheckCounters(const Map<v1::Counter>& counters, const Path& path, Findings& out) {
  if (counters.empty()) {
    out.declared.Required(path);
    return;
  }
  if (!IsWithin(counters.size(), kCountersMax, path, out.written)) return;
  for (const auto& [name, counter] : counters) CheckDeclaredLabel(name, path, out.declared);
}

void CheckDevice(const v1::Device& device,
                 const v1::Device* old,
                 NodeSelection node_selection,
                 const Path& path,
                 Findings& out) {
  CheckLabelShaped(device.name, path.Child("name"), out.written);
  CheckAttributesAndCapacity(device, path, out);
  CheckCapacities(device, old, path.Child("capacity"), out);
  CheckConsumedCounters(device, path.Child("consumesCounters"), out);
  CheckTaints(device, old, path.Child("taints"), out);
  CheckNodes(device, node_selection, path, out);
  CheckBindingConditions(device.binding_conditions, device.binding_failure_conditions, path, out);
  CheckNodeAllocatable(device, path.Child("nodeAllocatableResources"), out);
}

}  // namespace dray::api::validation
