// SPDX-License-Identifier: Apache-2.0
#include "base/world.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/try.h"

namespace dray {
namespace {

class MachineClock final : public Clock {
 public:
  WallTime Now() const override {
    return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
  }
  MonotonicTime Monotonic() const override { return std::chrono::steady_clock::now(); }
};

/// getrandom(2), buffered per thread, because every create makes uids.
class MachineRandom final : public Random {
 public:
  uint64_t Next() override {
    thread_local std::array<uint64_t, 32> pool;
    thread_local size_t left = 0;
    if (left == 0) {
      const ssize_t got = getrandom(pool.data(), sizeof(pool), 0);
      DRAY_CHECK(got == static_cast<ssize_t>(sizeof(pool)));  // getrandom never returns fewer bytes
                                                              // for requests of at most 256
      left = pool.size();
    }
    return pool.at(--left);
  }
};

StatusReason ReasonOfErrno(int code) {
  if (code == ENOENT || code == ENOTDIR) return StatusReason::kNotFound;
  if (code == EACCES || code == EPERM) return StatusReason::kForbidden;
  return StatusReason::kInternalError;
}

Failure FailErrno(std::string_view what, const std::string& path, int code) {
  return Fail(ReasonOfErrno(code),
              fmt::format("{} {}: {}", what, path, std::generic_category().message(code)));
}

/// Makes the names in the folder of `path` survive a power cut.
Result<> SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor names(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!names.is_open() || fsync(names.get()) != 0) return FailErrno("cannot sync", folder, errno);
  return {};
}

/// Returns false, with errno, when the disk is full or fails.
bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

class MachineFile final : public NewFile {
 public:
  MachineFile(std::string path, int fd) : path_(std::move(path)), file_(fd) {}
  ~MachineFile() override {
    if (!is_finished_) unlink(path_.c_str());
  }
  MachineFile(const MachineFile&) = delete;
  MachineFile& operator=(const MachineFile&) = delete;

  Result<> Append(std::string_view bytes) override {
    return WriteAll(file_.get(), bytes) ? Result<>() : FailedWrite();
  }

  Result<> Finish() override {
    if (fsync(file_.get()) != 0) return FailedWrite();
    DRAY_TRY_VOID(SyncFolderOf(path_));
    is_finished_ = true;
    return {};
  }

 private:
  Result<> FailedWrite() const {
    return Fail(
        StatusReason::kInternalError,
        fmt::format("{} cannot be written: {}", path_, std::generic_category().message(errno)));
  }

  const std::string path_;
  const Descriptor file_;
  bool is_finished_ = false;
};

/// While much is written, this reserves blocks from the file system ahead, many at once, so that a
/// write costs about half as much (ext4). The length of the file does not change by that.
class MachineGrowingFile final : public GrowingFile {
 public:
  MachineGrowingFile(std::string path, Descriptor file, uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size), reserved_(size) {}
  ~MachineGrowingFile() override {
    if (reserved_ <= size_) return;
    // If another program changed the length meanwhile, keep that length.
    if (const off_t end = End(); end < 0 || ftruncate(file_.get(), end) != 0) return;
  }
  MachineGrowingFile(const MachineGrowingFile&) = delete;
  MachineGrowingFile& operator=(const MachineGrowingFile&) = delete;

  Result<> Append(std::string_view bytes) override {
    if (bytes.size() >= kManyBytes && size_ + bytes.size() > reserved_) Reserve(bytes.size());
    if (!WriteAll(file_.get(), bytes)) return FailErrno("cannot write", path_, errno);
    size_ += bytes.size();
    return {};
  }
  uint64_t size() const override { return size_; }

 private:
  static constexpr size_t kManyBytes = size_t{64} << 10;
  static constexpr size_t kReservedBytes = size_t{1} << 20;

  off_t End() const {
    struct stat about{};
    return fstat(file_.get(), &about) == 0 ? about.st_size : -1;
  }

  // Reserves blocks for `bytes` bytes and those after them, if the file system supports it and has
  // room.
  void Reserve(size_t bytes) {
    const off_t end = End();
    const size_t wanted = bytes + kReservedBytes;
    if (!may_reserve_ || end < 0) return;
    may_reserve_ =
        fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, end, static_cast<off_t>(wanted)) == 0;
    if (may_reserve_) reserved_ = size_ + wanted;
  }

  const std::string path_;
  const Descriptor file_;
  uint64_t size_;
  uint64_t reserved_;  // end of the reserved blocks, counted like size_
  bool may_reserve_ = true;
};

class MachineDisk final : public Disk {
 public:
  Result<std::string> Read(const std::string& path) override {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return FailErrno("cannot open", path, errno);
    std::string bytes;
    struct stat about{};
    if (fstat(file.get(), &about) == 0 && about.st_size > 0)  // 0 if it is not a regular file
      bytes.reserve(std::min(static_cast<uint64_t>(about.st_size), kReadBytesMax));
    std::array<char, 65536> chunk;
    for (;;) {
      const ssize_t got = read(file.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return FailErrno("cannot read", path, errno);
      if (got == 0) return bytes;
      if (bytes.size() + static_cast<size_t>(got) > kReadBytesMax) {
        return Fail(StatusReason::kRequestEntityTooLarge,
                    fmt::format("{} has more than {} MiB, which is the most that is read: split it",
                                path,
                                kReadBytesMax >> 20U));
      }
      bytes.append(chunk.data(), static_cast<size_t>(got));
    }
  }

  Result<> Write(const std::string& path, std::string_view bytes, Privacy privacy) override {
    const std::string aside = path + ".new";
    const mode_t mode = privacy == Privacy::kOwnerOnly ? 0600 : 0644;
    {
      unlink(aside.c_str());  // left by a process that died, perhaps readable by others
      constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
      const Descriptor file(open(aside.c_str(), kFlags, mode));
      if (!file.is_open()) return FailErrno("cannot create", aside, errno);
      // Synced before the name points to it, so that a power cut leaves the old file or the new
      // one.
      if (!WriteAll(file.get(), bytes) || fsync(file.get()) != 0) {
        const int code = errno;
        unlink(aside.c_str());
        return FailErrno("cannot write", aside, code);
      }
    }
    if (rename(aside.c_str(), path.c_str()) != 0) {
      const int code = errno;
      unlink(aside.c_str());
      return FailErrno("cannot replace", path, code);
    }
    return SyncFolderOf(path);
  }

  Result<std::unique_ptr<NewFile>> MakeFile(const std::string& path) override {
    constexpr mode_t kOwnerOnly = 0600;
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
    if (fd >= 0) return std::make_unique<MachineFile>(path, fd);
    const int code = errno;
    if (code == EEXIST) {
      return Fail(StatusReason::kAlreadyExists, fmt::format("{} exists: name a new file", path));
    }
    return Fail(ReasonOfErrno(code),
                fmt::format("{} cannot be made: {}", path, std::generic_category().message(code)));
  }

  Result<std::unique_ptr<GrowingFile>> OpenGrowing(const std::string& path) override {
    constexpr mode_t kOwnerOnly = 0600;
    constexpr mode_t kGroupAndOthers = 0077;
    Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly));
    struct stat about{};
    if (!file.is_open() || fstat(file.get(), &about) != 0) {
      return FailErrno("cannot open", path, errno);
    }
    // An existing file may be readable by others. Devices and pipes (/dev/stderr) keep their mode.
    const bool is_readable = S_ISREG(about.st_mode) && (about.st_mode & kGroupAndOthers) != 0;
    if (is_readable && fchmod(file.get(), about.st_mode & ~kGroupAndOthers & 0777U) != 0) {
      return FailErrno("cannot take the rights of others from", path, errno);
    }
    return std::make_unique<MachineGrowingFile>(
        path, std::move(file), static_cast<uint64_t>(about.st_size));
  }

  Result<> Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) != 0) return FailErrno("cannot rename", from, errno);
    return {};
  }

  Result<> Remove(const std::string& path) override {
    if (unlink(path.c_str()) != 0) return FailErrno("cannot remove", path, errno);
    return {};
  }

  Result<> MakeFolder(const std::string& path) override {
    std::error_code failure;
    std::filesystem::create_directories(path, failure);
    if (failure) return FailErrno("cannot create folder", path, failure.value());
    return {};
  }

  Result<std::vector<std::string>> List(const std::string& path) override {
    std::error_code failure;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator at(path, failure), end; !failure && at != end;
         at.increment(failure)) {
      names.push_back(at->path().filename().string());
    }
    if (failure) return FailErrno("cannot list", path, failure.value());
    std::ranges::sort(names);
    return names;
  }

  bool IsFolder(const std::string& path) override {
    std::error_code failure;
    return std::filesystem::is_directory(path, failure);
  }

  Entry Look(const std::string& path, const std::string& folder) override {
    std::error_code failure;
    if (std::filesystem::is_symlink(path, failure)) {
      const std::filesystem::path at = std::filesystem::canonical(path, failure);
      if (failure) return Entry::kFile;
      const std::filesystem::path root = std::filesystem::canonical(folder, failure);
      const auto [in_root, in_path] = std::ranges::mismatch(root, at);
      if (failure || in_root != root.end()) return Entry::kOutside;
    }
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (std::filesystem::is_directory(status)) return Entry::kFolder;
    return std::filesystem::is_other(status) ? Entry::kOther : Entry::kFile;
  }
};

}  // namespace

World& RealWorld() {
  static MachineClock clock;
  static MachineRandom random;
  static MachineDisk disk;
  static World world{.clock = clock, .random = random, .disk = disk};
  return world;
}

std::string NewUuid(Random& random) {
  constexpr uint64_t kVersionMask = 0xFFFF'FFFF'FFFF'0FFF;
  constexpr uint64_t kVersion4 = 0x0000'0000'0000'4000;
  constexpr uint64_t kVariantMask = 0x3FFF'FFFF'FFFF'FFFF;
  constexpr uint64_t kVariantRfc = 0x8000'0000'0000'0000;
  const uint64_t high = (random.Next() & kVersionMask) | kVersion4;
  const uint64_t low = (random.Next() & kVariantMask) | kVariantRfc;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(36, '-');
  const auto write = [&](uint64_t bits, size_t at, unsigned digits) {
    for (; digits > 0; --digits, bits >>= 4U) text[at + digits - 1] = kDigits[bits & 0xFU];
  };
  write(high >> 32U, 0, 8);
  write(high >> 16U, 9, 4);
  write(high, 14, 4);
  write(low >> 48U, 19, 4);
  write(low, 24, 12);
  return text;
}

}  // namespace dray
