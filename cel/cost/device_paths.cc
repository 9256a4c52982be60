// SPDX-License-Identifier: Apache-2.0
#include "cel/cost/device_paths.h"

namespace dray::cel::cost {
namespace {

// resource.k8s.io, types.go.
constexpr uint64_t kAttributesAndCapacitiesMax = 32;
constexpr uint64_t kAttributeValueLengthMax = 64;
constexpr uint64_t kDomainLengthMax = 63;
constexpr uint64_t kIdLengthMax = 32;
constexpr uint64_t kDriverLengthMax = 63;

constexpr SizeRange UpTo(uint64_t max) {
  return {.min = 0, .max = max};
}

bool IsInnerMap(DevicePart part) {
  return part == DevicePart::kDomainAttributes || part == DevicePart::kDomainCapacities;
}

DevicePart Field(std::string_view field) {
  if (field == "driver") return DevicePart::kDriver;
  if (field == "attributes") return DevicePart::kAttributes;
  if (field == "capacity") return DevicePart::kCapacities;
  if (field == "allowMultipleAllocations") return DevicePart::kMultipleAllocations;
  return DevicePart::kUnknown;
}

}  // namespace

std::optional<SizeRange> DeclaredSize(DevicePart part) {
  switch (part) {
    case DevicePart::kNone:
    case DevicePart::kUnknown: return std::nullopt;
    case DevicePart::kDevice:
    case DevicePart::kQuantity: return UpTo(0);  // declared without a size
    case DevicePart::kDriver: return UpTo(kDriverLengthMax);
    case DevicePart::kMultipleAllocations: return UpTo(1);
    case DevicePart::kAttributes:
    case DevicePart::kDomainAttributes:
    case DevicePart::kCapacities:
    case DevicePart::kDomainCapacities: return UpTo(kAttributesAndCapacitiesMax);
    case DevicePart::kAttribute: return UpTo(kAttributeValueLengthMax);
    case DevicePart::kDomain: return UpTo(kDomainLengthMax);
    case DevicePart::kId: return UpTo(kIdLengthMax);
  }
  return std::nullopt;
}

DevicePart Child(DevicePart part, DeviceStep step) {
  const bool keys = step == DeviceStep::kKeys;
  switch (part) {
    case DevicePart::kAttributes: return keys ? DevicePart::kDomain : DevicePart::kDomainAttributes;
    case DevicePart::kCapacities: return keys ? DevicePart::kDomain : DevicePart::kDomainCapacities;
    case DevicePart::kDomainAttributes: return keys ? DevicePart::kId : DevicePart::kAttribute;
    case DevicePart::kDomainCapacities: return keys ? DevicePart::kId : DevicePart::kQuantity;
    case DevicePart::kNone:
    case DevicePart::kUnknown:
    case DevicePart::kDevice:
    case DevicePart::kDriver:
    case DevicePart::kMultipleAllocations:
    case DevicePart::kAttribute:
    case DevicePart::kQuantity:
    case DevicePart::kDomain:
    case DevicePart::kId: break;
  }
  return DevicePart::kUnknown;
}

DevicePart Child(DevicePart part, std::string_view field) {
  if (part == DevicePart::kDevice) return Field(field);
  // Only of attributes does upstream know that all names are alike; capacities need an index.
  if (part == DevicePart::kDomainAttributes) return DevicePart::kAttribute;
  // A selection on a value without a path starts one, as if the field were a variable.
  if (part == DevicePart::kNone) return DevicePaths::Root(field).part;
  return DevicePart::kUnknown;
}

DevicePath DevicePaths::Root(std::string_view variable) {
  return {.part = variable == "device" ? DevicePart::kDevice : DevicePart::kUnknown};
}

DevicePath DevicePaths::Extend(const DevicePath& path, DevicePart child) {
  if (!path.is_in_cell && IsInnerMap(path.part)) {
    cells_[path.cell] = child;
    return {.part = child, .cell = path.cell, .is_in_cell = true};
  }
  DevicePath out = {.part = child};
  if (IsInnerMap(child)) {
    out.cell = static_cast<uint32_t>(cells_.size());
    cells_.push_back(child);
  }
  return out;
}

}  // namespace dray::cel::cost
