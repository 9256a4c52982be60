// SPDX-License-Identifier: Apache-2.0
// What must hold before a store is served, and before anything is written to it.
#pragma once

#include "base/result.h"
#include "store/sqlite/database.h"
#include "store/sqlite/options.h"

namespace dray::store::sqlite {

/// Whether a note is kept of what was answered: not on a disk that only a test knows.
inline bool KeepsAnswered(const SqliteOptions& options) {
  return options.vfs.empty();
}

/// Nothing is lost (FindLoss), and, of a file that is not too large
/// (SqliteOptions::verified_bytes_max), all that Verify looks at.
///
/// Errors: kInternalError  something is lost, or wrong.
Result<> CheckWhole(Database& database, const SqliteOptions& options);

}  // namespace dray::store::sqlite
