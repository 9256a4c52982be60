// SPDX-License-Identifier: Apache-2.0
// Finds invalid scalars in a document. Upstream's decoder reports the required syntax of a quantity
// or a time, but not which field violates it.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"

namespace dray::manifests {

/// The path of the first invalid quantity, time, duration or bytes in `json`, an object of `kind`;
/// empty: there is none. O(size).
std::string FindBadScalar(const api::KindInfo& kind, std::string_view json);

}  // namespace dray::manifests
