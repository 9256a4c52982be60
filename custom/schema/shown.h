// SPDX-License-Identifier: Apache-2.0
// Values as messages show them.
#pragma once

#include <string>

#include "api/value/tree.h"

namespace dray::custom::schema {

/// The value as upstream's field errors print it: texts as Go quotes them, numbers as Go's %v,
/// lists and objects as JSON; cut after api::validation::kShownMax bytes. The cost is bounded by
/// that.
std::string ShownTree(const api::Tree& value);

}  // namespace dray::custom::schema
