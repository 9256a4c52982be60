// SPDX-License-Identifier: Apache-2.0
// The paths of an OpenAPI document: the operations of a kind, with their parameters.
#pragma once

#include <string>
#include <string_view>

#include "api/codec/json_writer.h"
#include "api/kind.h"
#include "api/release.h"
#include "server/documents/openapi_schemas.h"

namespace dray::server::documents {

/// Prefix of names of operations: "Resource" for resource.k8s.io, "Core" for the core group.
std::string CamelGroup(std::string_view group);
/// The tag that groups operations: "resource", "rbacAuthorization".
std::string TagOf(std::string_view group);

/// Writes the paths of `kind` as members of the object that `json` is in. Registers the schemas
/// that they refer to with `schemas`, which writes them with the next kind.
void WritePaths(const api::KindInfo& kind,
                OpenApiForm form,
                api::Release release,
                Schemas& schemas,
                api::JsonWriter& json);

}  // namespace dray::server::documents
