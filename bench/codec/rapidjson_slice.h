// SPDX-License-Identifier: Apache-2.0
// A ResourceSlice with RapidJSON, in hand-written code: read from its document, written by its
// writer.
#pragma once

#include <string>
#include <string_view>

#include "api/resource_v1/slice.h"

namespace dray::bench {

/// Parses the document and copies the members of a plain driver's slices.
api::resource_v1::ResourceSlice ReadWithRapidJson(std::string_view json);

/// Writes the same members as text.
std::string WriteWithRapidJson(const api::resource_v1::ResourceSlice& slice);

}  // namespace dray::bench
