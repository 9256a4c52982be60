// SPDX-License-Identifier: Apache-2.0
// Defaults in the schema of a definition: custom/schema judges the values, custom/rules what the
// rules say of them.
#pragma once

#include <string>
#include <vector>

#include "api/apiextensions_v1.h"
#include "base/result.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// Nodes of schemas whose rules are compiled for the defaults of one version. Rules below several
/// defaults inside each other are compiled for each.
inline constexpr size_t kDefaultRuleNodesMax = 100'000;

/// What is wrong with the defaults of a version's schema, which is structural; `path` is that of
/// the schema. Transition rules are asked as if the value had not changed, and then without an old
/// one.
std::vector<ErrorCause> CheckDefaultValues(const api::apiextensions_v1::JSONSchemaProps& schema,
                                           const Requirements& required,
                                           const std::string& path);

/// Whether pruning would take something from a default. No, where the schema is not structural.
bool HasUnprunedDefaults(const api::apiextensions_v1::JSONSchemaProps& schema);

}  // namespace dray::custom::definitions
