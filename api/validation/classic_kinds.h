// SPDX-License-Identifier: Apache-2.0
// The rows of the classic generation.
#pragma once

#include <span>

#include "api/validation/kind_rules.h"

namespace dray::api::validation {

/// Rules for the hub structs of v1alpha1 and v1alpha2 (api/resource_v1alpha2.h).
std::span<const Rules* const> ClassicRules();

}  // namespace dray::api::validation
