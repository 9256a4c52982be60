// SPDX-License-Identifier: Apache-2.0
// A ResourceSlice with simdjson's On-Demand interface, in hand-written code. simdjson does not
// write.
#pragma once

#include <string_view>

#include "api/resource_v1/slice.h"

namespace dray::bench {

/// Parses the document and copies the members of a plain driver's slices. Keeps the parser and the
/// padded copy that simdjson needs from call to call, as its documentation advises.
api::resource_v1::ResourceSlice ReadWithSimdjson(std::string_view json);

}  // namespace dray::bench
