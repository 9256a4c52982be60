// SPDX-License-Identifier: Apache-2.0
// The store's files by their real paths. SQLite opens its file by path itself, so a World's disk
// cannot stand between; what must be done to a file before or beside that is here, and nothing else
// in store/ opens one.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace dray::store::sqlite {

/// An open file or folder; closed with its owner.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

enum class OpenMode : uint8_t {
  kRead,       // a file that is there
  kReadWrite,  // made if it is not there, for its owner only
  kNew,        // made, for its owner only; an error if it is there
  kFolder,     // a folder that is there
};

/// Errors: the system's, as open(2).
std::expected<OpenFile, std::error_code> Open(const std::string& path, OpenMode mode);

/// Makes `folder` for its owner only, unless it is there.
/// Errors: the system's, as mkdir(2).
std::expected<void, std::error_code> MakeFolder(const std::string& folder);

/// Makes last what was created, renamed or removed in the folder of `file`.
///
/// Errors: kInternalError  the disk failed.
Result<> SyncFolderOf(const std::string& file);

}  // namespace dray::store::sqlite
