// SPDX-License-Identifier: Apache-2.0
// The whole store as it was after one commit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/strong.h"
#include "store/record.h"
#include "store/tree.h"

namespace dray::store {

/// Records in key order; made by Snapshot::Range, valid while that snapshot is held. Allows one
/// walk per begin(), which may stop anywhere. Copies no record.
class RecordRange {
 public:
  class Iterator {
   public:
    using value_type = Record;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(Tree::Cursor cursor, size_t left) : cursor_(cursor), left_(left) {}

    const Record& operator*() const { return *cursor_.record(); }
    const Record* operator->() const { return cursor_.record().get(); }
    /// The record with its ownership, to keep it longer than the snapshot.
    const Frozen<Record>& shared() const { return cursor_.record(); }
    Iterator& operator++() {
      if (--left_ > 0) cursor_.Next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return left_ == 0; }

   private:
    Tree::Cursor cursor_;
    size_t left_ = 0;
  };

  RecordRange(Tree::Cursor first, size_t size) : first_(first), size_(size) {}
  Iterator begin() const { return {first_, size_}; }
  static std::default_sentinel_t end() { return std::default_sentinel; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  Tree::Cursor first_;
  size_t size_;
};

/// Which keys: those that begin with `prefix` and are not less than `start_key`. To continue after
/// a key, start at that key with a zero byte appended.
struct KeyRange {
  std::string_view prefix{};
  std::string_view start_key{};
};

/// An immutable ordered map from key to record, taken at one revision. Snapshots share structure:
/// holding one costs the pages changed since, and it stays valid and unchanged while held. All
/// functions may be called from any thread.
class Snapshot {
 public:
  Snapshot(Revision revision, Tree tree) : revision_(revision), tree_(std::move(tree)) {}

  /// The newest revision this snapshot includes.
  Revision revision() const { return revision_; }
  /// Number of live keys.
  size_t size() const { return tree_.size(); }

  /// The record of `key`, or null. Valid while the snapshot is held. O(log n).
  const Record* Find(std::string_view key) const {
    const Frozen<Record>* found = tree_.Find(key);
    return found == nullptr ? nullptr : found->get();
  }
  /// The same, to keep it longer than the snapshot.
  Frozen<Record> Get(std::string_view key) const {
    const Frozen<Record>* found = tree_.Find(key);
    return found == nullptr ? nullptr : *found;
  }

  /// The first `limit` records of `keys`, in bytewise key order. O(log n), then O(1) per record.
  RecordRange Range(KeyRange keys, size_t limit = std::numeric_limits<size_t>::max()) const {
    const Tree::Cursor first = tree_.LowerBound(std::max(keys.prefix, keys.start_key));
    // Kinds that only admission rules read usually have no objects; do not count in that case.
    if (first.at_end() || !first.record()->key().starts_with(keys.prefix)) return {first, 0};
    return {first, std::min(Count(keys), limit)};
  }
  /// Number of records in `keys`. O(log n), independent of the number.
  size_t Count(KeyRange keys) const {
    const size_t end = RankAfterPrefix(keys.prefix);
    return end - std::min(end, tree_.Rank(std::max(keys.prefix, keys.start_key)));
  }

  /// The records of `keys` in groups of at most `records_max` (Tree::Groups).
  std::vector<Tree::Group> Groups(KeyRange keys, size_t records_max) const {
    const size_t begin = tree_.Rank(std::max(keys.prefix, keys.start_key));
    return tree_.Groups(begin, std::max(begin, RankAfterPrefix(keys.prefix)), records_max);
  }

  const Tree& tree() const { return tree_; }

 private:
  /// Number of keys that sort before all keys after those that begin with `prefix`.
  size_t RankAfterPrefix(std::string_view prefix) const {
    constexpr char kLastByte = '\xff';
    while (prefix.ends_with(kLastByte)) prefix.remove_suffix(1);
    if (prefix.empty()) return tree_.size();
    std::string next(prefix);
    next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1U);
    return tree_.Rank(next);
  }

  Revision revision_;
  Tree tree_;
};

}  // namespace dray::store
