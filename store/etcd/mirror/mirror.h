// SPDX-License-Identifier: Apache-2.0
// Turns the answers of a watch of etcd into changes of a store.
//
// A pure state machine: the state at one revision, then the answers of a watch that began right
// after it. The mirror has the whole state, so it adds to each event the previous record of the
// key. What etcd reports about that record (the version of a put, the revision of the previous
// value) must agree; otherwise an event was missed, and the mirror must be reloaded.
//
// The state is complete up to the revision of the newest event. The header of an answer with events
// may be ahead of that. An answer without events (a progress answer) says that the watch is
// complete up to its header; rpc/versions.h says in which versions of etcd that is true.
//
// Thread safety: none; one follower owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/strong.h"
#include "store/etcd/rpc/messages.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store::etcd::mirror {

/// The key that servers write to agree on which of them compacts (compaction.h). Hidden from users
/// of the store.
inline constexpr std::string_view kCompactionKey = "compact_rev_key";
/// Prefix of the keys of fences (store/store.h), relative to the store's prefix; the slot follows.
/// A key's revision is that of the last transaction with a fence of the slot. Hidden like
/// kCompactionKey.
inline constexpr std::string_view kFenceFolder = "dray.fences/";

class Mirror {
 public:
  /// Mirrors the keys that begin with `prefix`.
  Mirror(std::string prefix, ReadValue read_value)
      : prefix_(std::move(prefix)), read_value_(std::move(read_value)) {}

  /// Whether a key belongs to the store.
  bool Shows(std::string_view key) const {
    return key.starts_with(prefix_) && key != kCompactionKey &&
           !key.substr(prefix_.size()).starts_with(kFenceFolder);
  }
  /// The key for the slot of `fence`. Hidden from users of the store.
  std::string FenceKey(const Fence& fence) const;

  /// Replaces the whole state by these records (RecordOf), in key order, as of revision `at`.
  Frozen<Snapshot> Load(std::span<const Frozen<Record>> all, Revision at);

  struct Step {
    std::vector<Change> changes;  // one for each revision that changed something here
    Revision reached{};           // the state is complete up to here; later than the last change if
                                  // no key of the store changed since
  };
  enum class Progress : uint8_t { kTrusted, kIgnored };

  /// Applies the next answer, which is neither `created` nor `canceled`. On error nothing of the
  /// answer has been applied; the error describes how the answer contradicts the state.
  std::expected<Step, std::string> Apply(rpc::WatchAnswer answer, Progress progress);

  /// Converts a key and value of etcd to a record of the store.
  Frozen<Record> RecordOf(const rpc::KeyValue& kv) const;

  Revision reached() const { return snapshot_->revision(); }
  const Frozen<Snapshot>& snapshot() const { return snapshot_; }
  size_t live_bytes() const { return live_bytes_; }

  /// Drops the fragments received of an unfinished answer. Call before a new watch is followed.
  void ForgetFragments() { fragments_.clear(); }

 private:
  using Events = std::span<const rpc::WatchEvent>;

  /// Applies the events of one revision to `tree`. The error describes how they contradict it.
  std::expected<Change, std::string> ChangeOf(Events events, Tree& tree) const;
  void CountBytes(const Change& change);
  /// Applies `event` to `tree` and adds it to `change`. Returns how it contradicts `tree`, or "".
  std::string Add(const rpc::WatchEvent& event, Tree& tree, Change& change) const;

  const std::string prefix_;
  const ReadValue read_value_;
  Frozen<Snapshot> snapshot_ = std::make_shared<const Snapshot>(Revision{0}, Tree());
  size_t live_bytes_ = 0;
  std::vector<rpc::WatchEvent> fragments_;  // of an answer that is not complete yet
};

}  // namespace dray::store::etcd::mirror
