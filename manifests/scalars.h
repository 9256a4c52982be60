// SPDX-License-Identifier: Apache-2.0
// Which value of a document has no meaning: upstream's decoder says what a quantity or a time must
// look like, but not where the one stands that does not.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"

namespace dray::manifests {

/// The path of the first quantity, time, duration or bytes in `json`, an object of `kind`, that
/// cannot be read; empty when all can. O(size).
std::string FindBadScalar(const api::KindInfo& kind, std::string_view json);

}  // namespace dray::manifests
