// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/derived_attributes.h"

#include <fmt/format.h>

#include "allocator/rules/constraints.h"
#include "allocator/rules/work_units.h"
#include "api/resource_v1/device_request.h"
#include "base/try.h"

namespace dray::allocator::literal {

namespace v1 = api::resource_v1;

namespace {

// In units of Work.
constexpr uint64_t kWorkPerLookup = 64;

}  // namespace

DeviceAttributes::DeviceAttributes(Selection& selection, const Features& features)
    : selection_(selection),
      environment_{.purpose = cel::Purpose::kDerivedAttribute,
                   .consumable_capacity = features.consumable_capacity,
                   .list_type_attributes = features.list_type_attributes,
                   .time_zones = selection.environment().time_zones} {}

Result<const v1::DeviceAttribute*> DeviceAttributes::Find(const rules::Variant& variant,
                                                          const rules::DeviceEntry& device,
                                                          std::string_view name) {
  const v1::DeviceDerivedAttribute* derived = nullptr;
  selection_.work().Charge(kWorkPerLookup + WorkOfItems(4 * variant.derived_attributes.size()));
  for (const v1::DeviceDerivedAttribute& candidate : variant.derived_attributes) {
    if (candidate.name == name) derived = &candidate;  // of several the last counts
  }
  if (derived == nullptr) return rules::FindAttribute(device, name);
  return Derive(name, derived->expression, device);
}

Result<const v1::DeviceAttribute*> DeviceAttributes::Derive(std::string_view name,
                                                            std::string_view expression,
                                                            const rules::DeviceEntry& device) {
  if (const auto known = values_.find({expression, device.index}); known != values_.end())
    return known->second.get();
  auto compiled = compiled_.find(expression);
  if (compiled == compiled_.end()) {
    selection_.work().Charge(rules::kWorkPerByteCompiled * expression.size());
    const Result<cel::DerivedAttribute> made =
        cel::DerivedAttribute::Compile(expression, environment_);
    if (!made) {
      return Fail(
          StatusReason::kInvalid,
          fmt::format("compile derived attribute {} failed: {}", name, made.error().message));
    }
    compiled = compiled_.emplace(expression, *made).first;
  }
  const cel::DerivedValue value =
      compiled->second.Evaluate(selection_.View(device), selection_.work());
  DRAY_TRY_VOID(selection_.CheckWork());
  if (const cel::EvaluationError* error = value.error()) {
    return Fail(StatusReason::kInvalid,
                fmt::format("evaluate derived attribute {} on device {} failed: {}",
                            name,
                            device.id().ToString(),
                            error->message));
  }
  Value kept = std::make_unique<const v1::DeviceAttribute>(*value.attribute());
  return values_.emplace(std::pair(expression, device.index), std::move(kept)).first->second.get();
}

}  // namespace dray::allocator::literal
