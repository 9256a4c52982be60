// SPDX-License-Identifier: Apache-2.0
// What selectors may use under the features of a cluster.
#pragma once

#include "cel/language/environment.h"
#include "dray/features.h"

namespace dray::allocator::rules {

/// The environment of class and request selectors, and of derived attributes but for its purpose.
cel::Environment EnvironmentOf(const Features& features);

}  // namespace dray::allocator::rules
