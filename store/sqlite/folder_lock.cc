// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/folder_lock.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/result.h"
#include "store/sqlite/files.h"

namespace dray::store::sqlite {
namespace {

std::string LockFile(const std::string& folder) {
  return folder + "/dray.lock";
}

/// Reads the process id from the lock file.
std::optional<int64_t> ReadPid(int file) {
  std::array<char, 32> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  int64_t pid = 0;
  const char* end = text.data() + (size > 0 ? size : 0);
  if (std::from_chars(text.data(), end, pid).ec != std::errc()) return std::nullopt;
  return pid;
}

Failure Held(const std::string& folder, int file) {
  const std::optional<int64_t> owner = ReadPid(file);
  const std::string who = !owner.has_value() ? "another process"
                          : *owner == getpid()
                              ? fmt::format("another store of this process ({})", *owner)
                              : fmt::format("process {}", *owner);
  return Fail(
      StatusReason::kServiceUnavailable,
      fmt::format("the data folder {} is in use by {}: stop that one, or name another folder",
                  folder,
                  who));
}

/// Takes the lock unless an owner has it. OwnerOf holds the lock shared for a moment, so this
/// retries for up to two seconds, because on a busy machine that process may have to wait for a
/// CPU.
bool TakeExclusive(int file) {
  constexpr int kYieldsMax = 100;
  constexpr int kAttemptsMax = 2'000;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if (flock(file, LOCK_SH | LOCK_NB) != 0) return false;
    flock(file, LOCK_UN);
    if (attempt < kYieldsMax) {
      sched_yield();
    } else {
      poll(nullptr, 0, 1);
    }
  }
  return false;
}

}  // namespace

Result<FolderLock> FolderLock::Take(const std::string& folder) {
  if (const auto made = MakeFolder(folder); !made.has_value()) {
    return Fail(
        StatusReason::kForbidden,
        fmt::format("the data folder {} cannot be made: {}", folder, made.error().message()));
  }
  auto opened = Open(LockFile(folder), OpenMode::kReadWrite);
  if (!opened.has_value()) {
    return Fail(StatusReason::kForbidden,
                fmt::format("the data folder {} cannot be written ({}): check its permissions, and "
                            "that its disk is not mounted read-only",
                            folder,
                            opened.error().message()));
  }
  const int file = opened->descriptor();
  FolderLock lock(*std::move(opened));
  // The lock belongs to the open file, not to the process. So it also keeps a second store of this
  // process away, and closing another descriptor does not release it, unlike fcntl's locks.
  if (!TakeExclusive(file)) return Held(folder, file);
  const std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    // The lock works without the process id. The store reports a full disk with more detail.
    static_cast<void>(ftruncate(file, 0) == 0);
  }
  return lock;
}

std::optional<int64_t> OwnerOf(const std::string& folder) {
  const auto file = Open(LockFile(folder), OpenMode::kRead);
  if (!file.has_value() || flock(file->descriptor(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  return ReadPid(file->descriptor());
}

std::string StoreFile(const std::string& folder) {
  return folder + "/dray.db";
}

}  // namespace dray::store::sqlite
