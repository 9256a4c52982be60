// SPDX-License-Identifier: Apache-2.0
// Warnings about definitions that are valid.
#pragma once

#include <string>
#include <vector>

#include "api/apiextensions_v1.h"

namespace dray::custom::definitions {

/// Texts for Warning headers about `next`, which replaces `old` (null: it is new): formats that
/// nothing checks, and sets whose items are no scalars. What was there before is not told again.
/// O(size).
std::vector<std::string> WarningsOf(const api::apiextensions_v1::CustomResourceDefinition& next,
                                    const api::apiextensions_v1::CustomResourceDefinition* old);

}  // namespace dray::custom::definitions
