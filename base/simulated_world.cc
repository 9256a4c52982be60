// SPDX-License-Identifier: Apache-2.0
#include "base/simulated_world.h"

#include <algorithm>
#include <utility>

namespace dray {

WallTime SimulatedClock::Now() const {
  using std::chrono::sys_days, std::chrono::year, std::chrono::January;
  const MutexLock lock(mutex_);
  return sys_days(year(2026) / January / 1) + passed_;
}

MonotonicTime SimulatedClock::Monotonic() const {
  const MutexLock lock(mutex_);
  return MonotonicTime(passed_);
}

void SimulatedClock::Advance(std::chrono::nanoseconds by) {
  const MutexLock lock(mutex_);
  passed_ += by;
}

uint64_t SeededRandom::Next() {
  // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
  const MutexLock lock(mutex_);
  state_ += 0x9E37'79B9'7F4A'7C15;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EB;
  return mixed ^ (mixed >> 31U);
}

Result<std::string> MemoryDisk::Read(const std::string& path) {
  const MutexLock lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return Fail(StatusReason::kNotFound, "cannot open " + path);
  return found->second;
}

Result<> MemoryDisk::Write(const std::string& path, std::string_view bytes, Privacy) {
  const MutexLock lock(mutex_);
  files_.insert_or_assign(path, std::string(bytes));
  return {};
}

/// Refers to its disk, which outlives it.
class MemoryDisk::File final : public NewFile {
 public:
  File(MemoryDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
  ~File() override {
    if (is_finished_) return;
    const MutexLock lock(disk_.mutex_);
    disk_.files_.erase(path_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Result<> Append(std::string_view bytes) override {
    const MutexLock lock(disk_.mutex_);
    disk_.files_[path_] += bytes;
    return {};
  }
  Result<> Finish() override {
    is_finished_ = true;
    return {};
  }

 private:
  MemoryDisk& disk_;
  const std::string path_;
  bool is_finished_ = false;
};

Result<std::unique_ptr<NewFile>> MemoryDisk::MakeFile(const std::string& path) {
  const MutexLock lock(mutex_);
  if (!files_.try_emplace(path).second) {
    return Fail(StatusReason::kAlreadyExists, path + " exists: name a new file");
  }
  return std::make_unique<File>(*this, path);
}

/// Refers to its disk, which outlives it.
class MemoryDisk::Growing final : public GrowingFile {
 public:
  Growing(MemoryDisk& disk, std::string path, uint64_t size)
      : disk_(disk), path_(std::move(path)), size_(size) {}

  Result<> Append(std::string_view bytes) override {
    const MutexLock lock(disk_.mutex_);
    disk_.files_[path_] += bytes;
    size_ += bytes.size();
    return {};
  }
  uint64_t size() const override { return size_; }

 private:
  MemoryDisk& disk_;
  const std::string path_;
  uint64_t size_;
};

Result<std::unique_ptr<GrowingFile>> MemoryDisk::OpenGrowing(const std::string& path) {
  const MutexLock lock(mutex_);
  const uint64_t size = files_[path].size();
  return std::make_unique<Growing>(*this, path, size);
}

Result<> MemoryDisk::Rename(const std::string& from, const std::string& to) {
  const MutexLock lock(mutex_);
  auto file = files_.extract(from);
  if (file.empty()) return Fail(StatusReason::kNotFound, "cannot rename " + from);
  files_.insert_or_assign(to, std::move(file.mapped()));
  return {};
}

Result<> MemoryDisk::Remove(const std::string& path) {
  const MutexLock lock(mutex_);
  if (files_.erase(path) == 0) return Fail(StatusReason::kNotFound, "cannot remove " + path);
  return {};
}

Result<> MemoryDisk::MakeFolder(const std::string& path) {
  const MutexLock lock(mutex_);
  folders_.push_back(path);
  return {};
}

Result<std::vector<std::string>> MemoryDisk::List(const std::string& path) {
  if (!IsFolder(path)) return Fail(StatusReason::kNotFound, "cannot list " + path);
  const std::string prefix = path + "/";
  std::vector<std::string> names;
  const MutexLock lock(mutex_);
  for (const auto& [file, bytes] : files_) {
    if (!file.starts_with(prefix)) continue;
    const std::string name =
        file.substr(prefix.size(), file.find('/', prefix.size()) - prefix.size());
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

bool MemoryDisk::IsFolder(const std::string& path) {
  const std::string prefix = path + "/";
  const MutexLock lock(mutex_);
  return std::ranges::find(folders_, path) != folders_.end() ||
         std::ranges::any_of(files_,
                             [&](const auto& file) { return file.first.starts_with(prefix); });
}

}  // namespace dray
