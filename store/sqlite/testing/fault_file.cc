// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/testing/fault_file.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sqlite3.h>

namespace dray::store::sqlite::testing {

void FaultFile::Apply(const Change& change, std::string& bytes) {
  if (const Cut* cut = std::get_if<Cut>(&change)) {
    bytes.resize(cut->size);
    return;
  }
  const auto& piece = std::get<Piece>(change);
  bytes.resize(std::max(bytes.size(), piece.offset + piece.bytes.size()));
  bytes.replace(piece.offset, piece.bytes.size(), piece.bytes);
}

void FaultFile::Write(size_t offset, std::string_view bytes) {
  pending_.emplace_back(Piece{.offset = offset, .bytes = std::string(bytes)});
  Apply(pending_.back(), seen_);
}

void FaultFile::Truncate(size_t size) {
  pending_.emplace_back(Cut{.size = size});
  Apply(pending_.back(), seen_);
}

void FaultFile::Sync() {
  for (const Change& change : pending_) Apply(change, durable_bytes_);
  pending_.clear();
  durable_ = true;
}

void FaultFile::Restart(const std::function<bool()>& keep) {
  for (const Change& change : pending_) {
    const Piece* piece = std::get_if<Piece>(&change);
    if (piece == nullptr) {
      if (keep()) Apply(change, durable_bytes_);
      continue;
    }
    for (size_t at = 0; at < piece->bytes.size();) {
      const size_t offset = piece->offset + at;
      const size_t size = std::min(kSectorBytes - offset % kSectorBytes, piece->bytes.size() - at);
      if (keep()) {
        Apply(Piece{.offset = offset, .bytes = piece->bytes.substr(at, size)}, durable_bytes_);
      }
      at += size;
    }
  }
  pending_.clear();
  seen_ = durable_bytes_;
  levels_.clear();
  reserved_ = nullptr;
  regions_.clear();
  attached_.clear();
}

bool FaultFile::Lock(const void* who, int level) {
  const auto others_hold = [&](int at_least) {
    return std::ranges::any_of(levels_, [&](const auto& holder) {
      return holder.first != who && holder.second >= at_least;
    });
  };
  if (level == SQLITE_LOCK_SHARED && others_hold(SQLITE_LOCK_PENDING)) return false;
  if (level == SQLITE_LOCK_RESERVED && others_hold(SQLITE_LOCK_RESERVED)) return false;
  if (level == SQLITE_LOCK_EXCLUSIVE && others_hold(SQLITE_LOCK_SHARED)) {
    if (others_hold(SQLITE_LOCK_PENDING)) return false;
    levels_[who] = SQLITE_LOCK_PENDING;
    reserved_ = who;
    return false;
  }
  levels_[who] = std::max(levels_[who], level);
  if (level >= SQLITE_LOCK_RESERVED) reserved_ = who;
  return true;
}

void FaultFile::Unlock(const void* who, int level) {
  if (level == SQLITE_LOCK_NONE) {
    levels_.erase(who);
  } else if (const auto held = levels_.find(who); held != levels_.end()) {
    held->second = std::min(held->second, level);
  }
  if (reserved_ == who) reserved_ = nullptr;
}

volatile void* FaultFile::SharedRegion(size_t number, size_t size, bool extend) {
  if (number >= regions_.size() && !extend) return nullptr;
  while (number >= regions_.size()) {
    regions_.push_back(std::make_unique<std::vector<char>>(size));
  }
  return regions_[number]->data();
}

bool FaultFile::LockShared(const void* who, size_t first, size_t count, bool exclusive) {
  for (const auto& [other, locks] : attached_) {
    if (other == who) continue;
    for (size_t i = first; i < first + count; ++i) {
      if (locks[i] == 'x' || (exclusive && locks[i] == 's')) return false;
    }
  }
  for (size_t i = first; i < first + count; ++i) attached_[who][i] = exclusive ? 'x' : 's';
  return true;
}

void FaultFile::UnlockShared(const void* who, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) attached_[who][i] = '\0';
}

void FaultFile::DetachShared(const void* who) {
  attached_.erase(who);
  if (attached_.empty()) regions_.clear();
}

}  // namespace dray::store::sqlite::testing
