// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/files.h"

#include <cerrno>
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
