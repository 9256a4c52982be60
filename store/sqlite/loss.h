// SPDX-License-Identifier: Apache-2.0
// Whether a store has less than it once had.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/database.h"

namespace dray::store::sqlite {

/// Empty, or which changes the store once had and has no more: those that `answered` tells of, or
/// that stand in its log behind the place where that can be read, beyond what a crash may leave.
/// O(1), or without `answered` O(bytes of the log).
///
/// Errors: kInternalError  the table meta is damaged.
Result<std::string> FindLoss(Database& database, const std::optional<Answered>& answered);

}  // namespace dray::store::sqlite
