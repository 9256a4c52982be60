// SPDX-License-Identifier: Apache-2.0
// The cells of tables: values at a path, ages, and values computed from several fields.
#pragma once

#include <string>

#include "api/kind.h"
#include "api/object.h"
#include "base/world.h"

namespace dray::server::documents {

/// The JSON of one cell: a string, a number or null.
std::string CellJson(const api::Column& column, const api::Object& object, WallTime now);

}  // namespace dray::server::documents
