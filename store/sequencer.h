// SPDX-License-Identifier: Apache-2.0
// The writer's half of a store: what a transaction does, as a function of the state before it.
//
// A sequencer is a pure state machine. It checks a transaction against everything accepted so far,
// gives it the next revision and returns the change; whoever drives it makes the change durable and
// publishes it (store/history.h), in the same order. A durable store may accept further
// transactions while earlier ones are being written: they are checked against what is pending, and
// nothing pending is visible to readers.
//
// Thread safety: none; one writer owns it.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/published.h"
#include "base/result.h"
#include "base/world.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store {

/// What one transaction does. Nothing, if there are no events.
struct Change {
  Frozen<Snapshot> next;
  std::vector<Frozen<Event>> events;
  Committed committed;
};

/// What can be said of `txn` without knowing the state.
///
/// Errors: kBadRequest, kRequestEntityTooLarge as for Store::Commit.
Result<> CheckTxn(const Txn& txn);

class Sequencer {
 public:
  /// Goes on from `first`, e.g. what was recovered from a disk. O(n).
  Sequencer(const Options& options, Frozen<Snapshot> first);

  /// Precondition: CheckTxn(txn). O(log n) per compare and operation.
  ///
  /// Errors: kTooManyRequests as for Store::Commit; nothing has changed.
  Result<std::variant<Change, Conflict>> Accept(const Txn& txn);

  /// Deletes of the records due at `now`, earliest first, at most min(max, kTxnOperationsMax).
  Txn DueBy(WallTime now, size_t max) const;

  /// The state after everything accepted.
  const Frozen<Snapshot>& pending() const { return pending_; }
  size_t live_bytes() const { return live_bytes_; }
  std::optional<WallTime> next_expiry() const;

 private:
  std::optional<Conflict> FindConflict(const Txn& txn) const;
  void NoteExpiry(const Event& event);

  const size_t live_bytes_max_;
  Frozen<Snapshot> pending_;
  size_t live_bytes_ = 0;
  std::vector<Revision> fences_;                    // by slot: the last transaction that had it
  std::set<std::pair<WallTime, std::string>> due_;  // one entry per record that expires
};

}  // namespace dray::store
