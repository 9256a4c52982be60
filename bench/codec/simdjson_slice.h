// SPDX-License-Identifier: Apache-2.0
// A ResourceSlice with simdjson's On-Demand interface, as one writes it by hand. simdjson does not
// write.
#pragma once

#include <string_view>

#include "api/resource_v1/slice.h"

namespace dray::bench {

/// Parses and takes over the members that a plain driver's slices have. The parser and the padded
/// copy that simdjson needs are kept from call to call, as its documentation advises.
api::resource_v1::ResourceSlice ReadWithSimdjson(std::string_view json);

}  // namespace dray::bench
