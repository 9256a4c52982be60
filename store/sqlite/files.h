// SPDX-License-Identifier: Apache-2.0
// The store's files by their real paths. SQLite opens its file by path itself, so a World's disk
// cannot intercept it. Everything that must be done to a file before or beside that is here; no
// other code in store/ opens a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace dray::store::sqlite {

/// An open file or folder; closed by the destructor.
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
  kRead,       // an existing file
  kReadWrite,  // created if absent, readable by its owner only
  kNew,        // created, readable by its owner only; an error if it exists
  kFolder,     // an existing folder
};

/// Errors: the system's, as open(2).
std::expected<OpenFile, std::error_code> Open(const std::string& path, OpenMode mode);

/// Creates `folder`, for its owner only, unless it exists. Errors: the system's, as mkdir(2).
std::expected<void, std::error_code> MakeFolder(const std::string& folder);

/// More than a write-ahead log ever has if it is checkpointed now and then.
inline constexpr uint64_t kWholeFileBytesMax = uint64_t{1} << 30U;
/// Returns all bytes of a file. Errors: the system's; file_too_large past kWholeFileBytesMax.
std::expected<std::string, std::error_code> ReadWholeFile(const std::string& path);
/// Returns up to `size` bytes from offset `at`; fewer where the file ends or cannot be read.
std::string ReadPart(const OpenFile& file, uint64_t at, size_t size);
/// The size of a file; 0 if it does not exist or cannot be read.
uint64_t FileBytes(const std::string& path);

/// Makes creations, renames and removals in the folder of `file` durable.
///
/// Errors: kInternalError  the disk failed.
Result<> SyncFolderOf(const std::string& file);

}  // namespace dray::store::sqlite
