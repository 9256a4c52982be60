// SPDX-License-Identifier: Apache-2.0
// A ResourceSlice with nlohmann/json, in hand-written code: a document, then its members.
#pragma once

#include <string>
#include <string_view>

#include "api/resource_v1/slice.h"

namespace dray::bench {

/// Parses the document and copies the members of a plain driver's slices.
api::resource_v1::ResourceSlice ReadWithNlohmann(std::string_view json);

/// Writes the same members into a document, and returns its text.
std::string WriteWithNlohmann(const api::resource_v1::ResourceSlice& slice);

}  // namespace dray::bench
