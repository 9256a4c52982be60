// SPDX-License-Identifier: Apache-2.0
// Finds the store's file for a path.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/sqlite/database.h"

namespace dray::store::sqlite {

/// Returns the store's file in the folder `path`, or `path` itself if it is a file.
///
/// Errors: kNotFound  there is neither.
Result<std::string> ExistingStoreFile(const std::string& path);

/// Opens the store at `path` for reading in one read transaction. Everything read afterwards is of
/// its newest commit at this moment, even if a server writes meanwhile.
Result<std::unique_ptr<Database>> OpenSnapshot(const std::string& path);

}  // namespace dray::store::sqlite
