// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/files.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/result.h"

namespace dray::store::sqlite {
namespace {

std::unexpected<std::error_code> SystemError() {
  return std::unexpected(std::error_code(errno, std::generic_category()));
}

int FlagsOf(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead: return O_RDONLY;
    case OpenMode::kReadWrite: return O_RDWR | O_CREAT;
    case OpenMode::kNew: return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::kFolder: return O_RDONLY | O_DIRECTORY;
  }
  return O_RDONLY;
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::expected<OpenFile, std::error_code> Open(const std::string& path, OpenMode mode) {
  constexpr mode_t kOwnerReadsAndWrites = 0600;
  const int descriptor = open(path.c_str(), FlagsOf(mode) | O_CLOEXEC, kOwnerReadsAndWrites);
  if (descriptor < 0) return SystemError();
  return OpenFile(descriptor);
}

std::expected<void, std::error_code> MakeFolder(const std::string& folder) {
  constexpr mode_t kOwnerOnly = 0700;
  if (mkdir(folder.c_str(), kOwnerOnly) != 0 && errno != EEXIST) return SystemError();
  return {};
}

std::string ReadPart(const OpenFile& file, uint64_t at, size_t size) {
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < size) {
    const ssize_t got =
        pread(file.descriptor(), bytes.data() + have, size - have, static_cast<off_t>(at + have));
    if (got <= 0) break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

std::expected<std::string, std::error_code> ReadWholeFile(const std::string& path) {
  const auto file = Open(path, OpenMode::kRead);
  if (!file.has_value()) return std::unexpected(file.error());
  const uint64_t size = FileBytes(path);
  if (size > kWholeFileBytesMax) {
    return std::unexpected(std::make_error_code(std::errc::file_too_large));
  }
  return ReadPart(*file, 0, size);
}

uint64_t FileBytes(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

Result<> SyncFolderOf(const std::string& file) {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code failure;
  if (const auto opened = Open(folder, OpenMode::kFolder); !opened.has_value()) {
    failure = opened.error();
  } else if (fsync(opened->descriptor()) != 0) {
    failure = std::error_code(errno, std::generic_category());
  }
  if (!failure) return {};
  return Fail(StatusReason::kInternalError,
              fmt::format("the folder {} cannot be synced: {}", folder, failure.message()));
}

}  // namespace dray::store::sqlite
