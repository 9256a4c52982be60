// SPDX-License-Identifier: Apache-2.0
// The store's files by their real paths. SQLite opens its file by path itself, so a World's disk
// cannot stand between; what must be done to a file before or beside that is here, and nothing else
// in store/ opens one.
#pragma once

#include <cstddef>
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

/// More than a write-ahead log ever has that is copied now and then.
inline constexpr uint64_t kWholeFileBytesMax = uint64_t{1} << 30U;
/// All bytes of a file.
/// Errors: the system's; file_too_large past kWholeFileBytesMax.
std::expected<std::string, std::error_code> ReadWholeFile(const std::string& path);
/// Up to `size` bytes from `at`; fewer where the file ends or cannot be read.
std::string ReadPart(const OpenFile& file, uint64_t at, size_t size);
/// The size of a file; 0 if there is none, or none that can be looked at.
uint64_t FileBytes(const std::string& path);

/// Makes last what was created, renamed or removed in the folder of `file`.
///
/// Errors: kInternalError  the disk failed.
Result<> SyncFolderOf(const std::string& file);

}  // namespace dray::store::sqlite
