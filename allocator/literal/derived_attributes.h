// SPDX-License-Identifier: Apache-2.0
// Attributes that a request derives from a device with CEL, for the constraints of its claim
// (KEP-6080, 1.37).
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "allocator/literal/selection.h"
#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "cel/derived_attribute.h"
#include "cel/language/environment.h"

namespace dray::allocator::literal {

/// The attributes of devices as requests see them. Each expression is compiled once and evaluated
/// once per device, when a constraint asks. Not thread-safe: one search owns it.
class DeviceAttributes {
 public:
  DeviceAttributes(Selection& selection, const Features& features);

  /// The attribute `name`: what the request derives under exactly that name, else what the device
  /// publishes (FindAttribute); null when there is neither.
  /// Errors: kInvalid  the expression does not compile, or has no value for this device.
  Result<const api::resource_v1::DeviceAttribute*> Find(const rules::Variant& variant,
                                                        const rules::DeviceEntry& device,
                                                        std::string_view name);

 private:
  using Value = std::unique_ptr<const api::resource_v1::DeviceAttribute>;

  Result<const api::resource_v1::DeviceAttribute*> Derive(std::string_view name,
                                                          std::string_view expression,
                                                          const rules::DeviceEntry& device);

  Selection& selection_;
  cel::Environment environment_;
  std::map<std::string_view, cel::DerivedAttribute> compiled_;   // by expression
  std::map<std::pair<std::string_view, size_t>, Value> values_;  // by expression and device
};

}  // namespace dray::allocator::literal
