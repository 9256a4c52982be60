// SPDX-License-Identifier: Apache-2.0
// What a watch of etcd says, as the changes of a store.
//
// A pure state machine: the state at one revision, and answers of a watch that began right behind
// it. It knows the whole state, so each event gets what its key held before; what etcd says about
// that (the version of a put, the revision of the previous value) must agree, or something was
// missed and the mirror has to be read anew.
//
// How far is everything known? Up to the revision of the newest event, and no further: the header
// of an answer may be ahead of what the watch has told. An answer without events is etcd's word
// that nothing is missing up to its header; whether that word counts depends on its version
// (versions.h).
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

#include "base/published.h"
#include "base/strong.h"
#include "store/etcd/messages.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/tree.h"

namespace dray::store::etcd {

/// Where servers agree on who compacts (compaction.h). Never shown to users of the store.
inline constexpr std::string_view kCompactionKey = "compact_rev_key";

class Mirror {
 public:
  /// Shows keys that begin with `prefix`.
  Mirror(std::string prefix, ReadValue read_value)
      : prefix_(std::move(prefix)), read_value_(std::move(read_value)) {}

  /// Whether a key belongs to the store.
  bool Shows(std::string_view key) const {
    return key.starts_with(prefix_) && key != kCompactionKey;
  }

  /// Begins at `at` with these records (RecordOf), all that it shows, in key order; forgets what it
  /// had.
  Frozen<Snapshot> Load(std::span<const Frozen<Record>> all, Revision at);

  struct Step {
    std::vector<Change> changes;  // one for each revision that changed something here
    Revision reached{};           // everything is known up to here; later than the last change if
                                  // foreign keys or nothing followed it
  };
  enum class Progress : uint8_t { kTrusted, kIgnored };

  /// Goes on with the next answer, neither `created` nor `canceled`.
  /// Error: what does not fit; nothing of the answer has been applied then.
  std::expected<Step, std::string> Apply(WatchAnswer answer, Progress progress);

  /// A record of etcd's as one of ours.
  Frozen<Record> RecordOf(const KeyValue& kv) const;

  Revision reached() const { return snapshot_->revision(); }
  const Frozen<Snapshot>& snapshot() const { return snapshot_; }
  size_t live_bytes() const { return live_bytes_; }

  /// Drops the beginning of a fragmented answer: the next one is of a new watch.
  void ForgetFragments() { fragments_.clear(); }

 private:
  using Events = std::span<const WatchEvent>;

  /// What the events of one revision do to `tree`. Error: what does not fit.
  std::expected<Change, std::string> ChangeOf(Events events, Tree& tree) const;
  void CountBytes(const Change& change);
  /// Adds to `change` what `event` does to `tree`. Returns what does not fit; empty if all does.
  std::string Add(const WatchEvent& event, Tree& tree, Change& change) const;

  const std::string prefix_;
  const ReadValue read_value_;
  Frozen<Snapshot> snapshot_ = std::make_shared<const Snapshot>(Revision{0}, Tree());
  size_t live_bytes_ = 0;
  std::vector<WatchEvent> fragments_;  // of an answer whose end has not come yet
};

}  // namespace dray::store::etcd
