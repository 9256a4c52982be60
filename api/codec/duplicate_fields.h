// SPDX-License-Identifier: Apache-2.0
// Members that a JSON document names twice.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dray::api::inline codec {

/// `duplicate field "metadata.labels.a"` for each member that `json` names again, in the order met;
/// nothing when it is not JSON, or has more than `depth_max` objects and lists inside each other
/// (the caller's reader reports both). The first kDecodeIssuesMax of them. Linear in the text, but
/// for the number of members of one object: n log n. Does not recurse.
std::vector<std::string> DuplicateFields(std::string_view json, size_t depth_max);

}  // namespace dray::api::inline codec
