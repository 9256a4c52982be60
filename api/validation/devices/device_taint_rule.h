// SPDX-License-Identifier: Apache-2.0
// Rules for DeviceTaintRules (KEP-5055). Rules for ObjectMeta are elsewhere.
#pragma once

#include <vector>

#include "api/resource_v1/device_taint_rule.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline devices {

inline constexpr size_t kRuleConditionsMax = 8;

/// `old` is null for a new rule. An unchanged effect is not checked.
std::vector<ErrorCause> ValidateTaintRule(const resource_v1::DeviceTaintRule& rule,
                                          const resource_v1::DeviceTaintRule* old,
                                          const Options& options);

std::vector<ErrorCause> ValidateTaintRuleStatus(const resource_v1::DeviceTaintRule& rule,
                                                const Options& options);

}  // namespace dray::api::validation::inline devices
