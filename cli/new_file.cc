// SPDX-License-Identifier: Apache-2.0
#include "cli/new_file.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/result.h"

namespace dray::cli {
namespace {

std::string SystemError() {
  return std::generic_category().message(errno);
}

}  // namespace

Result<NewFile> NewFile::Make(const std::string& path) {
  constexpr mode_t kOwnerOnly = 0600;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (file >= 0) return NewFile(path, file);
  if (errno == EEXIST)
    return Fail(StatusReason::kAlreadyExists, fmt::format("{} exists: name a new file", path));
  const StatusReason reason = errno == ENOENT   ? StatusReason::kNotFound
                              : errno == EACCES ? StatusReason::kForbidden
                                                : StatusReason::kInternalError;
  return Fail(reason, fmt::format("{} cannot be made: {}", path, SystemError()));
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(path_.c_str());
}

std::unexpected<Error> NewFile::Failed() const {
  return Fail(StatusReason::kInternalError,
              fmt::format("{} cannot be written: {}", path_, SystemError()));
}

Result<> NewFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Failed();
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<> NewFile::Finish() {
  if (fsync(file_) != 0) return Failed();
  close(std::exchange(file_, -1));
  return {};
}

}  // namespace dray::cli
