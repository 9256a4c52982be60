// SPDX-License-Identifier: Apache-2.0
// How devices count against the resources of their node (KEP-5517): the mappings of 1.36 and the
// richer form that replaced them.
#include <array>
#include <optional>
#include <string>

#include "api/resource_v1/slice.h"
#include "api/validation/devices/resource_slice.h"
#include "api/validation/unions.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

constexpr std::string_view kHugePagesResources = "hugepages-";

bool IsNodeAllocatable(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames = {"cpu", "memory", "ephemeral-storage"};
  for (const std::string_view one : kNames) {
    if (name == one) return true;
  }
  return name.starts_with(kHugePagesResources);
}

void CheckAllocatableName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (IsNodeAllocatable(name)) return;
  errors.Invalid(path, Shown(name), "must be a node allocatable resource name");
}

void CheckPositive(const std::optional<Quantity>& quantity, const Path& path, FieldErrors& errors) {
  if (quantity.has_value() && quantity->Sign() <= 0) {
    errors.Invalid(path, Shown(quantity->ToString()), "must be positive");
  }
}

void CheckCapacityKey(std::string_view key,
                      const v1::Device& device,
                      const Path& path,
                      FieldErrors& errors) {
  if (key.empty()) {
    errors.Invalid(path, Shown(""), "capacityKey must not be an empty string");
  } else if (!device.capacity.contains(key)) {
    errors.NotFound(path, Shown(key));
  }
}

void CheckMapping(const v1::NodeAllocatableMapping& mapping,
                  const v1::Device& device,
                  const Path& path,
                  Findings& out) {
  const Path key = path.Child("capacityKey");
  const Path multiplier = path.Child("capacityMultiplier");
  if (mapping.capacity_key.has_value()) {
    CheckCapacityKey(*mapping.capacity_key, device, key, out.written);
    if (!mapping.capacity_multiplier.has_value()) {
      out.written.Required(multiplier, "capacityMultiplier is required when capacityKey is set");
    }
    CheckPositive(mapping.capacity_multiplier, multiplier, out.written);
  }
  CheckPositive(mapping.device_multiplier, path.Child("deviceMultiplier"), out.written);
  if (!mapping.capacity_key.has_value() && mapping.capacity_multiplier.has_value()) {
    out.written.Required(key, "capacityKey is required when capacityMultiplier is set");
  }
  UnionMembers members;
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

// For the fields of 1.36.
void CheckMappings(const v1::Device& device, const Path& path, FieldErrors& errors) {
  for (const auto& [name, mapping] : device.node_allocatable_resource_mappings) {
    const Path at = path.Key(name);
    CheckAllocatableName(name, at, errors);
    if (mapping.capacity_key.has_value()) {
      CheckCapacityKey(*mapping.capacity_key, device, at.Child("capacityKey"), errors);
    }
    CheckPositive(mapping.allocation_multiplier, at.Child("allocationMultiplier"), errors);
    if (!mapping.capacity_key.has_value() && !mapping.allocation_multiplier.has_value()) {
      errors.Invalid(
          at, Shown(""), "at least one of capacityKey or allocationMultiplier must be set");
    }
  }
}

}  // namespace

void CheckNodeAllocatable(const v1::Device& device, const Path& path, Findings& out) {
  CheckMappings(device, path.Child("nodeAllocatableResourceMappings"), out.written);
  const Path resources = path.Child("nodeAllocatableResources");
  for (const auto& [name, resource] : device.node_allocatable_resources) {
    const Path at = resources.Key(name);
    CheckAllocatableName(name, at, out.written);
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

}  // namespace dray::api::validation::inline devices
