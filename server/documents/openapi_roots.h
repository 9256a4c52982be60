// SPDX-License-Identifier: Apache-2.0
// OpenAPI of paths that belong to no kind: /version/, /api/, /apis/, the roots of groups and of
// their versions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "api/codec/json_writer.h"
#include "server/documents/openapi_form.h"

namespace dray::server::documents {

enum class OpenApiRoot : uint8_t { kVersion, kCore, kGroups, kGroup, kGroupVersion };

/// A root; of `group`, and its `version`, if it has them.
struct OpenApiPlace {
  OpenApiRoot root;
  std::string_view group = {}, version = {};
};

/// The document of `place`, version 3, in a release ("1.37").
std::string RootDocument(const OpenApiPlace& place, std::string_view release);

/// Writes the path of `place` as a member of the object that `json` is in.
void WriteRootPath(const OpenApiPlace& place, OpenApiForm form, api::JsonWriter& json);

/// Writes the schemas that the path refers to, but for those whose names are in `written`.
void WriteRootSchemas(const OpenApiPlace& place,
                      OpenApiForm form,
                      std::set<std::string, std::less<>>& written,
                      api::JsonWriter& json);

}  // namespace dray::server::documents
