// SPDX-License-Identifier: Apache-2.0
// A store's file that is being written, and gets its final name when it is complete.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "store/sqlite/files.h"

namespace dray::store::sqlite {

/// Lies beside the final file, as NAME.partial. Removed unless it gets its final name.
class PartialFile {
 public:
  explicit PartialFile(std::string target)
      : target_(std::move(target)), path_(target_ + ".partial") {}
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() { Remove(); }

  const std::string& path() const { return path_; }

  /// Creates the file, empty, for its owner only. Replaces what an earlier attempt has left.
  Result<> Make() {
    Remove();
    const auto made = Open(path_, OpenMode::kNew);
    if (!made.has_value()) {
      return Fail(StatusReason::kForbidden,
                  fmt::format("{} cannot be made: {}", path_, made.error().message()));
    }
    return {};
  }

  Result<> Rename() {
    std::error_code error;
    std::filesystem::rename(path_, target_, error);
    if (error) {
      return Fail(StatusReason::kForbidden,
                  fmt::format("{} cannot be renamed to {}: {}", path_, target_, error.message()));
    }
    return SyncFolderOf(target_);
  }

 private:
  void Remove() const {
    for (const char* part : {"", "-journal", "-wal", "-shm"}) {
      std::error_code ignored;
      std::filesystem::remove(path_ + part, ignored);
    }
  }

  const std::string target_;
  const std::string path_;
};

}  // namespace dray::store::sqlite
