// SPDX-License-Identifier: Apache-2.0
// Schemas and values of tests, from their JSON.
#pragma once

#include <string_view>

#include "api/apiextensions_v1.h"
#include "api/codec/tree_json.h"
#include "api/value/tree.h"
#include "base/frozen.h"
#include "custom/schema/schema.h"

namespace dray::custom::testing {

/// The definition's schema; `json` must be one.
api::apiextensions_v1::JSONSchemaProps PropsOf(std::string_view json);
/// The same compiled.
Frozen<schema::Schema> SchemaOf(std::string_view json);
/// `json` must be JSON.
api::Tree TreeOf(std::string_view json);

}  // namespace dray::custom::testing
