// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dray::server::documents {

/// The versions of OpenAPI that clients read.
enum class OpenApiForm : uint8_t { kV2, kV3 };

}  // namespace dray::server::documents
