// SPDX-License-Identifier: Apache-2.0
// Definitions for tests, written as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "base/result.h"

namespace dray::custom::testing {

/// A definition with defaults filled in. The test fails if the text is none.
api::apiextensions_v1::CustomResourceDefinition WrittenDefinition(std::string_view json);

/// Widgets of example.com, with one version v1 that has this schema.
api::apiextensions_v1::CustomResourceDefinition WidgetsWith(std::string_view schema);
/// The same where spec.properties has these members.
api::apiextensions_v1::CustomResourceDefinition WidgetsWithFields(std::string_view members);
/// The same with these members of the version besides its schema, which allows anything.
api::apiextensions_v1::CustomResourceDefinition WidgetsWithParts(std::string_view parts);

/// "field: message" of each cause.
std::vector<std::string> TextsOf(const std::vector<ErrorCause>& causes);

}  // namespace dray::custom::testing
