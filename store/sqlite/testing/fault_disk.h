// SPDX-License-Identifier: Apache-2.0
// A disk for tests, as an SQLite VFS: files in memory that know which of their bytes were synced,
// calls that fail on request, and a power cut that loses what was not synced, or any part of it.
//
// The model is that of Linux. Readers see a write at once. The disk has it when it is synced, or
// earlier, in any order, in sectors of 512 bytes. After a failed sync the disk never gets those
// writes, while readers still see them. A new file is sure to exist after its first sync; a file
// deleted without sync of its folder may come back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dray::store::sqlite::testing {

/// Safe from any thread. Outlives the stores on it.
class FaultDisk {
 public:
  /// Calls that change the disk or make changes durable.
  enum class Call : uint8_t { kWrite, kTruncate, kSync, kDelete };

  /// The effect of a fault on one call.
  enum class Fault : uint8_t {
    kNone,
    kError,         // the call fails and changes nothing; after a failed sync its writes never
                    // become durable
    kTornError,     // a write stores its first half, and fails
    kNoSpace,       // the disk is full: the call fails and changes nothing (does not apply to a
                    // sync)
    kTornNoSpace,   // the disk is full: a write stores its first half
    kPowerCut,      // this call and all after it fail, until CutPower
    kTornPowerCut,  // the same, but readers see the first half of a write
  };
  /// Decides for the call with this number; the first is 0.
  using Plan = std::function<Fault(uint64_t number, Call call, const std::string& file)>;

  FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;
  ~FaultDisk();

  /// The name to set as SqliteOptions::vfs.
  const std::string& vfs() const;

  /// Calls `plan` before each call, on the thread that makes it. The plan may make that thread
  /// wait.
  void SetPlan(Plan plan);
  /// Number of calls so far.
  uint64_t calls() const;
  /// Sets the bytes that files may still grow before the disk is full.
  void SetRoom(int64_t bytes);

  /// What happens to writes that were not synced.
  enum class Unsynced : uint8_t { kLost, kKept, kSomeOfThem };
  /// Cuts the power and restores it. No file may be open. Afterwards calls succeed again.
  void CutPower(Unsynced unsynced, uint64_t seed);

  /// The bytes of a file as readers see them; empty if it does not exist.
  std::string Contents(const std::string& file) const;
  /// Changes a file without SQLite's knowledge, as a failing disk does.
  void Damage(const std::string& file, uint64_t offset, std::string_view bytes);

 private:
  friend struct FaultCalls;
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace dray::store::sqlite::testing
