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
#include <span>
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

/// What `operations` do to `before`, at the revision after it. O(log n) each.
Change ChangeBy(const Frozen<Snapshot>& before, const std::vector<Operation>& operations);

/// What can be said of `txn` without knowing the state.
///
/// Errors: kBadRequest, kRequestEntityTooLarge as for Store::Commit.
Result<> CheckTxn(const Txn& txn);

class Sequencer {
 public:
  /// Goes on from `first`, e.g. what was recovered from a disk. O(n).
  Sequencer(const Options& options, const Frozen<Snapshot>& first);

  /// What a transaction would do, and what Apply needs to make it part of the state without asking
  /// for memory.
  class Judged;

  /// Precondition: CheckTxn(txn). O(log n) per compare and operation.
  ///
  /// Errors: kTooManyRequests as for Store::Commit.
  Result<std::variant<Judged, Conflict>> Judge(const Txn& txn) const;
  /// Nothing else was applied since it was judged.
  void Apply(const Txn& txn, Judged& judged) noexcept;

  using Outcome = Result<std::variant<Change, Conflict>>;

  /// Both, at once. Memory that cannot be had (std::bad_alloc) leaves the state as it was.
  Outcome Accept(const Txn& txn);

  /// Accept, for steps (Store::CommitSteps): one outcome for each, all of them changes or none. No
  /// step may have to do with records that expire. If there is no memory, some outcome says so, and
  /// the state is as it was; std::bad_alloc only if there is none for the outcomes.
  std::vector<Outcome> AcceptSteps(std::span<const Txn* const> steps);

  /// Goes on from `from`: what was accepted after it has not happened. Its fences may have: they
  /// refuse who has not seen `from`. O(n), and as Accept if there is no memory.
  void Restart(const Frozen<Snapshot>& from);

  /// Deletes of the records due at `now`, earliest first, at most min(max, kTxnOperationsMax).
  Txn DueBy(WallTime now, size_t max) const;

  /// The state after everything accepted.
  const Frozen<Snapshot>& pending() const { return pending_; }
  size_t live_bytes() const { return live_bytes_; }
  std::optional<WallTime> next_expiry() const;

 private:
  /// One entry for each record that expires.
  using Due = std::set<std::pair<WallTime, std::string>>;

  std::optional<Conflict> FindConflict(const Txn& txn) const;
  /// Whether nothing speaks against any of the steps yet; else some outcome says what.
  bool MayAccept(std::span<const Txn* const> steps, std::span<Outcome> outcomes) const;
  bool AcceptEach(std::span<const Txn* const> steps, std::span<Outcome> outcomes);
  void NoteExpiry(const Event& event, Judged& judged) const;

  const size_t live_bytes_max_;
  Frozen<Snapshot> pending_;
  size_t live_bytes_ = 0;
  std::vector<Revision> fences_;  // by slot: the last transaction that had it
  Due due_;
};

class Sequencer::Judged {
 public:
  Change change;

 private:
  friend class Sequencer;
  size_t live_bytes_ = 0;
  std::vector<Due::const_iterator> no_longer_due_;
  Due due_;
};

}  // namespace dray::store
