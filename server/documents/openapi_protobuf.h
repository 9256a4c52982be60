// SPDX-License-Identifier: Apache-2.0
// OpenAPI documents as protobuf: the messages openapi.v2.Document of gnostic, which kubectl up to
// 1.26 reads to validate and to explain, and openapi.v3.Document, which later versions read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::server::documents {

/// `json`, a document of version 2, as that message. Leaves out members without a field; extensions
/// (x-…) are sent as YAML, of which JSON is a subset. Linear in the document.
///
/// Errors: kBadRequest  not JSON.
Result<std::string> OpenApiV2Protobuf(std::string_view json);

/// The same of version 3.
Result<std::string> OpenApiV3Protobuf(std::string_view json);

}  // namespace dray::server::documents
