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

/// Holds the file `dray.lock` of a folder, which names the process. The kernel lets go of it when
/// the process ends, however it ends; the file stays and means nothing by itself.
class FolderLock {
 public:
  /// Makes the folder if only its last part is missing.
  ///
  /// Errors: kServiceUnavailable  somebody else holds it, another store of this process included;
  ///                              the message names the process.
  ///         kForbidden           the folder cannot be made, or not written.
  static Result<FolderLock> Take(const std::string& folder);

 private:
  explicit FolderLock(OpenFile file) : file_(std::move(file)) {}
  OpenFile file_;
};

/// The process that holds the lock of `folder` now.
std::optional<int64_t> OwnerOf(const std::string& folder);

/// The store's file in a data folder.
std::string StoreFile(const std::string& folder);

}  // namespace dray::store::sqlite
