// SPDX-License-Identifier: Apache-2.0
// Members that a JSON document names twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dray::server::patch {

/// `duplicate field "metadata.labels.a"` for each member that `json` names again, in the order met;
/// nothing when it is not JSON, or nested deeper than kDepthMax (whoever reads it says so). The
/// first api::kDecodeIssuesMax of them. Linear in the text, but for the number of members of one
/// object: n log n.
std::vector<std::string> DuplicateFields(std::string_view json);

}  // namespace dray::server::patch
