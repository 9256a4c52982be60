// SPDX-License-Identifier: Apache-2.0
// A disk for tests, as an SQLite VFS: files in memory that know which of their bytes were synced,
// calls that fail when told, and a power cut that loses what was not synced, or any part of it.
//
// The model is the one that Linux offers. A write changes what everybody reads at once and what the
// disk has when it is synced, or earlier, in any order, in sectors of 512 bytes. A sync that fails
// has lost those writes for the disk for ever, while readers still see them. A new file is sure to
// exist after its first sync; a file deleted without sync of its folder may come back.
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
  /// Calls that change something, or make it durable.
  enum class Call : uint8_t { kWrite, kTruncate, kSync, kDelete };

  /// What happens at one of them.
  enum class Fault : uint8_t {
    kNone,
    kError,         // it fails and changes nothing; a sync loses what it was to make durable
    kTornError,     // a write leaves its first half behind, and fails
    kNoSpace,       // the disk is full: fails and changes nothing (a sync is not concerned)
    kTornNoSpace,   // a write leaves its first half behind: the disk is full
    kPowerCut,      // this call and all after it fail, until CutPower
    kTornPowerCut,  // the same, but a write's first half got as far as the system
  };
  /// Decides for the call with this number; the first is 0.
  using Plan = std::function<Fault(uint64_t number, Call call, const std::string& file)>;

  FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;
  ~FaultDisk();

  /// Its name for SqliteOptions::vfs.
  const std::string& vfs() const;

  /// The plan is asked before each call, on the thread that makes it, and may make it wait.
  void SetPlan(Plan plan);
  /// Calls so far.
  uint64_t calls() const;
  /// What can be written before the disk is full, from now on, in bytes of file growth.
  void SetRoom(int64_t bytes);

  /// What becomes of writes that were not synced.
  enum class Unsynced : uint8_t { kLost, kKept, kSomeOfThem };
  /// The power goes and comes back. No file may be open. Afterwards calls succeed again.
  void CutPower(Unsynced unsynced, uint64_t seed);

  /// The bytes of a file as readers see them; empty if it does not exist.
  std::string Contents(const std::string& file) const;
  /// Changes a file behind everybody's back, as a failing disk does.
  void Damage(const std::string& file, uint64_t offset, std::string_view bytes);

 private:
  friend struct FaultCalls;
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace dray::store::sqlite::testing
