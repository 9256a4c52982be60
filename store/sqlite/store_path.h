// SPDX-License-Identifier: Apache-2.0
// Which file a path means, and changes of folders that last.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/sqlite/database.h"

namespace dray::store::sqlite {

/// The store's file in the folder `path`, or `path` itself if it is a file.
///
/// Errors: kNotFound  there is neither.
Result<std::string> ExistingStoreFile(const std::string& path);

/// Opens the store at `path` for reading and holds on to its newest commit: everything read
/// afterwards is of that one moment, whatever a server does meanwhile.
Result<std::unique_ptr<Database>> OpenOneMoment(const std::string& path);

/// Makes a rename or removal in the folder of `file` last.
Result<> SyncFolderOf(const std::string& file);

}  // namespace dray::store::sqlite
