// SPDX-License-Identifier: Apache-2.0
// A ResourceSlice with nlohmann/json, as one writes it by hand: a document, then its members.
#pragma once

#include <string>
#include <string_view>

#include "api/resource_v1/slice.h"

namespace dray::bench {

/// Parses and takes over the members that a plain driver's slices have.
api::resource_v1::ResourceSlice ReadWithNlohmann(std::string_view json);

/// The same members back into a document, and its text.
std::string WriteWithNlohmann(const api::resource_v1::ResourceSlice& slice);

}  // namespace dray::bench
