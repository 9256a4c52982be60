// SPDX-License-Identifier: Apache-2.0
// What an expression may use: the variables, functions and rules of one Kubernetes release, for one
// purpose and a set of feature gates.
#pragma once

#include <cstdint>

#include "api/release.h"

namespace dray::cel::inline language {

class TimeZones;  // time_zones.h

/// CELSelectorExpressionMaxCost (resource.k8s.io types): one evaluation on one device, and the
/// highest estimate that is admitted.
inline constexpr uint64_t kSelectorCostMax = 1'000'000;

/// New expressions see what the release before had (so that a server can be rolled back) and what
/// the feature gates allow; stored ones see everything, so that a gate switched off does not break
/// what is already in the store.
enum class ExpressionUse : uint8_t { kStored, kNew };

/// What the expression is for: it decides the variables and the result types.
enum class Purpose : uint8_t {
  kSelector,          // a device selector: bool, or the type of attribute values
  kDerivedAttribute,  // 1.37: a scalar or list that becomes an attribute value
  kNamedResources,    // 1.30: variable `attributes`, result bool
  kFree,              // as a selector, with any result type
  kAdmission,         // admission policies: no variable but those of the scope, any result type
};

struct Environment {
  api::Release release = api::Release::kNewest;
  ExpressionUse use = ExpressionUse::kStored;
  Purpose purpose = Purpose::kSelector;
  bool consumable_capacity = false;   // gate DRAConsumableCapacity
  bool list_type_attributes = false;  // gate DRAListTypeAttributes
  uint64_t cost_max = kSelectorCostMax;
  /// The time zones that an expression may name; null: UTC and offsets only. Not owned: must
  /// outlive everything that is compiled for this environment. Only evaluation reads it.
  const TimeZones* time_zones = nullptr;

  /// kAny means the newest.
  constexpr api::Release rules() const {
    return release == api::Release::kAny ? api::Release::kNewest : release;
  }
  /// Whether the rules are those of `first` or later.
  bool since(api::Release first) const { return rules() >= first; }

  /// device.allowMultipleAllocations.
  bool has_multiple_allocations() const {
    return since(api::Release::k1_34) && (use == ExpressionUse::kStored || consumable_capacity);
  }
  /// Whether attribute values are dyn, which lists need; otherwise they are any. In 1.36 the gate
  /// decides for stored expressions as well.
  bool has_list_attributes() const {
    if (!since(api::Release::k1_36)) return false;
    return list_type_attributes || (use == ExpressionUse::kStored && since(api::Release::kNewest));
  }
  /// Whether attributes may be lists when an expression is evaluated. Before 1.36 the API had none.
  bool reads_lists() const {
    return since(api::Release::kNewest) || (since(api::Release::k1_36) && list_type_attributes);
  }
  bool operator==(const Environment&) const = default;
};

}  // namespace dray::cel::inline language
