// SPDX-License-Identifier: Apache-2.0
// A ResourceSlice with RapidJSON, as one writes it by hand: read from its document, written by its
// writer.
#pragma once

#include <string>
#include <string_view>

#include "api/resource_v1/slice.h"

namespace dray::bench {

/// Parses and takes over the members that a plain driver's slices have.
api::resource_v1::ResourceSlice ReadWithRapidJson(std::string_view json);

/// The same members back into text.
std::string WriteWithRapidJson(const api::resource_v1::ResourceSlice& slice);

}  // namespace dray::bench
