// SPDX-License-Identifier: Apache-2.0
// Resource versions as clients write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace dray::server::verbs::inline context {

/// The revision that `text` names; nothing when it is empty.
/// Errors: kUnknown  `text` is not a number, in the words of Go's strconv.
Result<std::optional<uint64_t>> ParseVersion(std::string_view text);

}  // namespace dray::server::verbs::inline context
