// SPDX-License-Identifier: Apache-2.0
// One file of a FaultDisk: what readers see, what the disk has, and the writes between the two.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dray::store::sqlite::testing {

/// Not thread-safe.
class FaultFile {
 public:
  static constexpr size_t kSectorBytes = 512;

  const std::string& contents() const { return seen_; }
  bool is_durable() const { return durable_; }

  void Write(size_t offset, std::string_view bytes);
  void Truncate(size_t size);
  void Sync();
  /// Drops the unsynced writes, so that they never become durable.
  void LoseUnsynced() { pending_.clear(); }
  /// Cuts the power. `keep` decides for each sector of each unsynced write.
  void Restart(const std::function<bool()>& keep);

  // Locks of connections to the file, as SQLite's own are on Unix. Returns true if the lock was
  // granted.
  bool Lock(const void* who, int level);
  void Unlock(const void* who, int level);
  bool has_reserved() const { return reserved_ != nullptr; }

  // Memory shared by connections, with its locks.
  static constexpr size_t kSharedLocks = 8;
  volatile void* SharedRegion(size_t number, size_t size, bool extend);
  bool LockShared(const void* who, size_t first, size_t count, bool exclusive);
  void UnlockShared(const void* who, size_t first, size_t count);
  void AttachShared(const void* who) { attached_[who]; }
  void DetachShared(const void* who);

 private:
  struct Piece {
    size_t offset = 0;
    std::string bytes;
  };
  struct Cut {
    size_t size = 0;
  };
  using Change = std::variant<Piece, Cut>;

  static void Apply(const Change& change, std::string& bytes);

  std::string seen_;
  std::string durable_bytes_;
  std::vector<Change> pending_;
  bool durable_ = false;

  std::map<const void*, int> levels_;
  const void* reserved_ = nullptr;
  std::vector<std::unique_ptr<std::vector<char>>> regions_;
  std::map<const void*, std::array<char, kSharedLocks>> attached_;  // '\0', 's' or 'x' each
};

}  // namespace dray::store::sqlite::testing
