// SPDX-License-Identifier: Apache-2.0
#include "cel/cost/device_sizes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dray::cel::cost {
namespace {

// resource.k8s.io, types.go.
constexpr uint64_t kAttributesAndCapacitiesMax = 32;
constexpr uint64_t kAttributeValueLengthMax = 64;
constexpr uint64_t kDomainLengthMax = 63;
constexpr uint64_t kIdLengthMax = 32;
constexpr uint64_t kDriverLengthMax = 63;

enum class DevicePart : uint8_t {
  kUnknown,  // nothing whose size is declared
  kDevice,
  kDriver,
  kMultipleAllocations,
  kAttributes,        // by domain, then by name
  kDomainAttributes,  // by name
  kAttribute,
  kCapacities,
  kDomainCapacities,
  kQuantity,
  kDomain,  // a key of kAttributes or kCapacities
  kId,      // a key of kDomainAttributes or kDomainCapacities
};

constexpr SizeRange UpTo(uint64_t max) {
  return {.min = 0, .max = max};
}

DevicePart Field(std::string_view field) {
  if (field == "driver") return DevicePart::kDriver;
  if (field == "attributes") return DevicePart::kAttributes;
  if (field == "capacity") return DevicePart::kCapacities;
  if (field == "allowMultipleAllocations") return DevicePart::kMultipleAllocations;
  return DevicePart::kUnknown;
}

std::optional<SizeRange> DeclaredSize(DevicePart part) {
  switch (part) {
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

DevicePart KeyOrValue(DevicePart part, bool is_key) {
  switch (part) {
    case DevicePart::kAttributes:
      return is_key ? DevicePart::kDomain : DevicePart::kDomainAttributes;
    case DevicePart::kCapacities:
      return is_key ? DevicePart::kDomain : DevicePart::kDomainCapacities;
    case DevicePart::kDomainAttributes: return is_key ? DevicePart::kId : DevicePart::kAttribute;
    case DevicePart::kDomainCapacities: return is_key ? DevicePart::kId : DevicePart::kQuantity;
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

DevicePart Child(DevicePart part, std::string_view step) {
  if (step == kKeysStep || step == kIndexesStep) return KeyOrValue(part, /*is_key=*/true);
  if (step == kValuesStep || step == kItemsStep) return KeyOrValue(part, /*is_key=*/false);
  if (part == DevicePart::kDevice) return Field(step);
  // Only of attributes does upstream know that all names are alike; capacities need an index.
  return part == DevicePart::kDomainAttributes ? DevicePart::kAttribute : DevicePart::kUnknown;
}

class Sizes final : public SizeSource {
 public:
  std::optional<SizeRange> SizeOf(std::span<const std::string_view> path) const override {
    DevicePart part = path.front() == "device" ? DevicePart::kDevice : DevicePart::kUnknown;
    for (const std::string_view step : path.subspan(1)) part = Child(part, step);
    return DeclaredSize(part);
  }
};

}  // namespace

const SizeSource& DeviceSizes() {
  static const Sizes kSizes;
  return kSizes;
}

}  // namespace dray::cel::cost
