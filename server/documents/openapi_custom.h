// SPDX-License-Identifier: Apache-2.0
// The schemas of custom kinds in OpenAPI documents.
#pragma once

#include <string>
#include <string_view>

#include "api/custom_kind.h"
#include "api/value/tree.h"
#include "server/documents/openapi_form.h"

namespace dray::server::documents {

/// "test.example.v1.Widget": the name of the schema of a version of a custom kind.
std::string CustomSchemaName(const api::CustomKind& kind);

/// The extension that lists the fields which selectors may name.
inline constexpr std::string_view kSelectableExtension = "x-kubernetes-selectable-fields";
/// Its value for a version, as JSON; empty: there are none.
std::string SelectableFields(const api::CustomKind& kind);

/// The schema of objects of `kind`, as clients act on it; `metadata` is the path of the schema of
/// metadata. Version 2 has no words for logic, defaults and values of several types: they are left
/// out. O(size).
api::Tree CustomSchema(const api::CustomKind& kind, OpenApiForm form, const std::string& metadata);

}  // namespace dray::server::documents
