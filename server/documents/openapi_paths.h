// SPDX-License-Identifier: Apache-2.0
// The paths of an OpenAPI document: which operations a kind has, with which parameters.
#pragma once

#include "api/codec/json_writer.h"
#include "api/kind.h"
#include "api/release.h"
#include "server/documents/openapi_schemas.h"

namespace dray::server::documents {

/// Writes the paths of `kind` as members of the object that `json` is in. What they refer to is
/// announced to `schemas`, and will be written with the next kind.
void WritePaths(const api::KindInfo& kind,
                OpenApiForm form,
                api::Release release,
                Schemas& schemas,
                api::JsonWriter& json);

}  // namespace dray::server::documents
