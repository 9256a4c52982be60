// SPDX-License-Identifier: Apache-2.0
// What must hold before a store is served, and before anything is written to it.
#pragma once

#include "base/result.h"
#include "store/sqlite/database.h"
#include "store/sqlite/options.h"

namespace dray::store::sqlite {

/// Whether the store keeps a note of what it answered. It does not on a disk that only a test
/// provides.
inline bool KeepsAnswered(const SqliteOptions& options) {
  return options.vfs.empty();
}

/// Checks that nothing is lost (FindLoss). For a file that is not too large
/// (SqliteOptions::verified_bytes_max), it also checks everything that Verify does.
///
/// Errors: kInternalError  something is lost or damaged.
Result<> CheckWhole(Database& database, const SqliteOptions& options);

}  // namespace dray::store::sqlite
