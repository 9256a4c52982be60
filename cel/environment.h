// SPDX-License-Identifier: Apache-2.0
// What an expression may use: the environment of device selectors in Kubernetes 1.37.
#pragma once

#include <cstdint>

namespace dray::cel {

/// CELSelectorExpressionMaxCost (resource.k8s.io types): one evaluation on one device.
inline constexpr uint64_t kSelectorCostMax = 1'000'000;

/// New expressions see only what the feature gates allow; stored ones see everything, so that a
/// gate switched off does not break what is already in the store.
enum class ExpressionUse : uint8_t { kStored, kNew };

struct Environment {
  ExpressionUse use = ExpressionUse::kStored;
  bool consumable_capacity = false;   // gate DRAConsumableCapacity; read for kNew only
  bool list_type_attributes = false;  // gate DRAListTypeAttributes; read for kNew only
  uint64_t cost_max = kSelectorCostMax;

  bool has_multiple_allocations() const {
    return use == ExpressionUse::kStored || consumable_capacity;
  }
  bool has_list_attributes() const { return use == ExpressionUse::kStored || list_type_attributes; }
  bool operator==(const Environment&) const = default;
};

}  // namespace dray::cel
