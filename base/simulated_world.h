// SPDX-License-Identifier: Apache-2.0
// The World of tests and of the simulator: a clock that the test moves, and random numbers from a
// seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"

namespace dray {

/// Starts at 2026-01-01T00:00:00Z. Safe from any thread.
class SimulatedClock final : public Clock {
 public:
  WallTime Now() const override;
  MonotonicTime Monotonic() const override;
  void Advance(std::chrono::nanoseconds by);

 private:
  mutable Mutex mutex_;
  std::chrono::nanoseconds passed_ DRAY_GUARDED_BY(mutex_){0};
};

/// SplitMix64: the same seed gives the same numbers on every machine. Safe from any thread.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next() override;

 private:
  Mutex mutex_;
  uint64_t state_ DRAY_GUARDED_BY(mutex_);
};

/// Files in memory. A folder exists once it was made, or once it has a file.
class MemoryDisk final : public Disk {
 public:
  Result<std::string> Read(const std::string& path) override;
  Result<> Write(const std::string& path, std::string_view bytes, Privacy privacy) override;
  Result<std::unique_ptr<NewFile>> MakeFile(const std::string& path) override;
  Result<std::unique_ptr<GrowingFile>> OpenGrowing(const std::string& path) override;
  Result<> Rename(const std::string& from, const std::string& to) override;
  Result<> Remove(const std::string& path) override;
  Result<> MakeFolder(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) override;
  bool IsFolder(const std::string& path) override;

 private:
  class File;
  class Growing;

  Mutex mutex_;
  std::map<std::string, std::string, std::less<>> files_ DRAY_GUARDED_BY(mutex_);
  std::vector<std::string> folders_ DRAY_GUARDED_BY(mutex_);
};

/// Clock, random numbers and disk, from one seed.
class SimulatedWorld {
 public:
  explicit SimulatedWorld(uint64_t seed) : random_(seed) {}
  World& world() { return world_; }
  SimulatedClock& clock() { return clock_; }
  MemoryDisk& disk() { return disk_; }

 private:
  SimulatedClock clock_;
  SeededRandom random_;
  MemoryDisk disk_;
  World world_{.clock = clock_, .random = random_, .disk = disk_};
};

}  // namespace dray
