// SPDX-License-Identifier: Apache-2.0
// The writer's half of a store: what a transaction does, as a function of the state before it.
//
// A sequencer is a pure state machine. It checks a transaction against everything accepted so far,
// gives it the next revision and returns the change. The caller makes changes durable and publishes
// them (store/history.h) in the same order. A durable store may accept further transactions while
// earlier ones are being written: they are checked against what is pending, and nothing pending is
// visible to readers.
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

#include "base/frozen.h"
#include "base/result.h"
#include "base/world.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store {

/// The effect of one transaction. It changed nothing if there are no events.
struct Change {
  Frozen<Snapshot> next;
  std::vector<Frozen<Event>> events;
  Committed committed;
};

/// Applies `operations` to `before`, at the revision after it. O(log n) each.
Change ChangeBy(const Frozen<Snapshot>& before, const std::vector<Operation>& operations);

/// Checks `txn` as far as possible without the state.
///
/// Errors: kBadRequest, kRequestEntityTooLarge as for Store::Commit.
Result<> CheckTxn(const Txn& txn);

class Sequencer {
 public:
  /// Continues from the state `first`, e.g. the one recovered from a disk. O(n).
  Sequencer(const Options& options, const Frozen<Snapshot>& first);

  /// The effect of a transaction, with all memory that Apply needs to make it part of the state.
  class Judged;

  /// Precondition: CheckTxn(txn). O(log n) per compare and operation.
  ///
  /// Errors: kTooManyRequests as for Store::Commit.
  Result<std::variant<Judged, Conflict>> Judge(const Txn& txn) const;
  /// Precondition: no other transaction was applied since this one was judged.
  void Apply(const Txn& txn, Judged& judged) noexcept;

  using Outcome = Result<std::variant<Change, Conflict>>;

  /// Judge and Apply. On std::bad_alloc the state is unchanged.
  Outcome Accept(const Txn& txn);

  /// Accept for steps (Store::CommitSteps). Returns one outcome for each; either all of them are
  /// changes or none is. No step may write or compare records that expire. If memory runs out, one
  /// of the outcomes reports it and the state is unchanged; throws std::bad_alloc only if there is
  /// no memory for the outcomes.
  std::vector<Outcome> AcceptSteps(std::span<const Txn* const> steps);

  /// Continues from `from` and drops everything accepted after it. The fences of those transactions
  /// stay, because they may have been carried out: they refuse transactions that have not seen
  /// `from`. O(n). On std::bad_alloc the state is unchanged.
  void Restart(const Frozen<Snapshot>& from);

  /// A transaction that deletes the records due at `now`, earliest first, at most min(max,
  /// kTxnOperationsMax).
  Txn DueBy(WallTime now, size_t max) const;

  /// The state after all accepted transactions.
  const Frozen<Snapshot>& pending() const { return pending_; }
  size_t live_bytes() const { return live_bytes_; }
  std::optional<WallTime> next_expiry() const;

 private:
  /// One entry for each record that expires.
  using Due = std::set<std::pair<WallTime, std::string>>;

  std::optional<Conflict> FindConflict(const Txn& txn) const;
  /// Whether each step can be accepted so far. If not, one of the outcomes has the reason.
  bool MayAccept(std::span<const Txn* const> steps, std::span<Outcome> outcomes) const;
  bool AcceptEach(std::span<const Txn* const> steps, std::span<Outcome> outcomes);
  void NoteExpiry(const Event& event, Judged& judged) const;

  const size_t live_bytes_max_;
  Frozen<Snapshot> pending_;
  size_t live_bytes_ = 0;
  std::vector<Revision> fences_;  // by slot: the revision of the last transaction with a fence of
                                  // the slot
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
