// SPDX-License-Identifier: Apache-2.0
// Checks whether a store has lost changes.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/database.h"

namespace dray::store::sqlite {

/// Describes the changes that the store has lost; empty if there are none. A change is lost if the
/// note `answered` covers it, or if it stands in the log behind the place where the log can be
/// read, beyond what a crash may leave. O(1), or without `answered` O(bytes of the log).
///
/// Errors: kInternalError  the table meta is damaged.
Result<std::string> FindLoss(Database& database, const std::optional<Answered>& answered);

}  // namespace dray::store::sqlite
