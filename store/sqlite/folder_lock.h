// SPDX-License-Identifier: Apache-2.0
// One process per data folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "store/sqlite/files.h"

namespace dray::store::sqlite {

/// Holds a lock on the file `dray.lock` of a folder; the file names the process. The kernel
/// releases the lock when the process ends for any reason. The file stays, and means nothing by
/// itself.
class FolderLock {
 public:
  /// Creates the folder if only its last part is missing.
  ///
  /// Errors: kServiceUnavailable  another process, or another store of this process, holds the
  /// lock;
  ///                              the message names the process.
  ///         kForbidden           the folder cannot be created or written.
  static Result<FolderLock> Take(const std::string& folder);

 private:
  explicit FolderLock(OpenFile file) : file_(std::move(file)) {}
  OpenFile file_;
};

/// Returns the process that holds the lock of `folder` now.
std::optional<int64_t> OwnerOf(const std::string& folder);

/// The name of the store's file in a data folder.
std::string StoreFile(const std::string& folder);

}  // namespace dray::store::sqlite
