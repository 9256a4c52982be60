// SPDX-License-Identifier: Apache-2.0
// The OpenAPI documents of version 3 about paths that no kind has: /version/, /api/, /apis/ and the
// roots of groups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::server::documents {

enum class OpenApiRoot : uint8_t { kVersion, kCore, kGroups, kGroup };

/// The document of `root`, of `group` if it is kGroup, in a release ("1.37").
std::string RootDocument(OpenApiRoot root, std::string_view group, std::string_view release);

}  // namespace dray::server::documents
