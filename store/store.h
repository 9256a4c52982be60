// SPDX-License-Identifier: Apache-2.0
// The store: one sequence of revisions over one ordered key space.
//
// Every commit that changes something gets the next revision, for all keys together; the changes of
// one transaction share it. An empty store is at revision kFirstRevision, its first commit makes
// the next one, so no resource version is ever "0". A revision is never used twice or taken back.
//
// All implementations give readers these guarantees:
//
//   1. A commit is reported only once it is durable and visible. A reader that learns of revision
//      N, from a callback, an event, a wake or another client, finds it in Read() from then on.
//   2. Nothing is visible before it is durable: no snapshot or event shows a change that a crash
//      could undo.
//   3. A snapshot at N followed by EventsAfter(N) misses nothing and repeats nothing.
//   4. History is one window, (floor, newest]: all its events are kept, and every revision from the
//      floor on can be read. The floor only rises: by Compact, or because a limit was reached.
//      Below the floor the answer is kExpired, never a gap.
//
// All functions may be called from any thread. Keys and values are bytes that the store does not
// interpret, with one exception that concerns only speed. Events are also kept by group, the key
// through its third slash ("/registry/pods/"), so a follower of one resource does not read the
// events of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"
#include "store/snapshot.h"

namespace dray::store {

/// The revision of an empty store, as in etcd.
inline constexpr Revision kFirstRevision{1};
/// In a Compare: the key must be absent.
inline constexpr Revision kAbsent{0};

/// Longest key. Kubernetes limits names and namespaces to 253 bytes each.
inline constexpr size_t kKeyBytesMax = 1024;
/// Largest value: 1.5 MiB, etcd's default for a request.
inline constexpr size_t kValueBytesMax = 3 * 512 * 1024;
/// Limit of the operations of one transaction, and of its compares and fences together: etcd's
/// default.
inline constexpr size_t kTxnOperationsMax = 128;
/// Number of slots that all names of fences share. etcd stores a small key for each slot ever used.
inline constexpr size_t kFenceSlots = 4096;
/// Limit of the events that one EventsAfter examines before it returns what it found so far.
inline constexpr size_t kEventsExaminedMax = 4096;

/// The key must have been modified last at `modified`, or be absent if that is kAbsent.
struct Compare {
  std::string key;
  Revision modified{};
};

/// Serialises transactions that decide about the same thing but write different keys. The
/// transaction is refused if another one with a fence of this name was committed after `seen`, the
/// revision that the decision was based on. So a client that has read everything up to `seen` has
/// missed nothing relevant.
///
/// Names are hashed to kFenceSlots slots. A fence with another name may therefore refuse a
/// transaction, too; its client then decides again. A fence is no record: no snapshot, event or
/// limit includes it. It lasts as long as a transaction can be in flight: for ever in etcd, else
/// until the store is opened again.
struct Fence {
  std::string name;
  Revision seen{};
};

/// The slot of a fence; the same in every process, version and machine.
size_t FenceSlot(std::string_view name);

/// Writes `value`: creates the key or replaces its value. The expiry is replaced too, or removed.
struct Put {
  std::string key;
  Frozen<Value> value;
  std::optional<WallTime> expiry{};
};

/// Removes the key. Removing an absent key changes nothing.
struct Delete {
  std::string key;
};

using Operation = std::variant<Put, Delete>;

/// If all compares and fences hold, all operations happen at once and share one revision; otherwise
/// none happens. No two operations may name the same key. Fences are only for transactions that
/// write.
struct Txn {
  std::vector<Compare> compares{};
  std::vector<Operation> operations{};
  std::vector<Fence> fences{};
};

/// A transaction that was carried out.
struct Committed {
  /// The new revision. If nothing changed (no operations, or only deletions of absent keys), the
  /// newest revision at that moment, and there is no event.
  Revision revision{};
  /// For each operation, in order: the record now stored; for a deletion the last record with
  /// `modified` = revision; null for the deletion of an absent key.
  std::vector<Frozen<Record>> records;
};

/// A transaction that was refused because a compare or fence does not hold. A normal answer, with
/// all that the caller needs to decide again without another read.
struct Conflict {
  struct Mismatch {
    std::string key;
    Frozen<Record> current;  // null when absent
  };
  /// The newest revision when the compares were made; `current` is of that moment.
  Revision revision{};
  /// The compares that do not hold, in the order of the transaction; at least one, unless `fenced`.
  std::vector<Mismatch> mismatches;
  /// A fence does not hold. Not set if a compare does not hold either.
  bool fenced = false;
};

using CommitOutcome = std::variant<Committed, Conflict>;
using CommitCallback = std::move_only_function<void(Result<CommitOutcome>)>;

/// One of several transactions that are carried out one after the other.
struct Step {
  Txn txn;
  CommitCallback done;
};

/// Limit of the steps of one CommitSteps.
inline constexpr size_t kStepsMax = 64;

/// One change of one key.
struct Event {
  enum class Type : uint8_t { kPut, kDelete };

  Type type = Type::kPut;
  /// kPut: the record written. kDelete: the last record, with `modified` = the deletion's revision.
  Frozen<Record> record;
  /// The key's previous record; null if it was absent, so kPut with null is a creation.
  Frozen<Record> previous;

  Revision revision() const { return record->modified; }
};

/// A piece of history.
struct Batch {
  /// Ascending by revision; within one, in the order of its transaction. No revision is split.
  std::vector<Frozen<Event>> events;
  /// The batch has all events of the prefix up to here; ask for the events after it next. At least
  /// `after`, and the newest revision once there are no more events. This is the revision for
  /// bookmarks.
  Revision through{};
};

/// Limits and other choices for opening a store.
struct Options {
  /// Makes the values of records that were stored before this process.
  ReadValue read_value = ReadAsBytes;
  /// The identity of a store that is created now: a random number from the caller. An existing
  /// store keeps its own.
  uint64_t new_id = 1;
  /// Limit of events kept. Whole revisions are dropped, oldest first; the newest always stays.
  size_t events_max = 100'000;
  /// Limit of what events alone keep: keys and values that they ended, and a constant for each.
  size_t event_bytes_max = size_t{256} << 20U;
  /// Limit of the bytes of live keys and values. A commit that would exceed it is refused;
  /// deletions and updates that shrink are always accepted.
  size_t live_bytes_max = size_t{4} << 30U;
  /// Limit of subscriptions at one time.
  size_t subscriptions_max = 4096;
};

/// Values for operators and metrics. They are of nearly the same moment.
struct Status {
  /// The store's identity: 16 hexadecimal digits, made once when it is created and kept with it.
  /// Two stores with the same id have one history.
  std::string id;
  /// Why writes are refused, and what to do; empty while they are accepted.
  std::string failure;
  Revision newest{};
  Revision floor{};  // the oldest revision that can be read, or followed from
  size_t keys = 0;
  size_t live_bytes = 0;
  size_t events = 0;
  size_t event_bytes = 0;
  size_t file_bytes = 0;  // on disk; 0 if there is no file, or its size is unknown
  size_t subscriptions = 0;
  std::optional<WallTime> next_expiry{};  // ExpireDue has nothing to do before then
};

/// Status::id of a number: 16 hexadecimal digits.
std::string IdText(uint64_t id);

/// Wakes its owner after commits, until it is destroyed; see Store::Subscribe.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::move_only_function<void()> cancel) : cancel_(std::move(cancel)) {}
  Subscription(Subscription&& other) noexcept : cancel_(std::exchange(other.cancel_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      Cancel();
      cancel_ = std::exchange(other.cancel_, nullptr);
    }
    return *this;
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() { Cancel(); }

  /// Ends the subscription. When this returns, no wake runs and none will. May be called again.
  void Cancel() {
    if (cancel_) std::exchange(cancel_, nullptr)();
  }

 private:
  std::move_only_function<void()> cancel_;
};

using Wake = std::function<void(Revision)>;

/// A multi-version store: one writer at a time, any number of readers that never wait for it.
///
/// The owner destroys it after all subscriptions, and after every callback has been called.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// The newest state this process knows. Never waits for a commit or for the network. Revisions of
  /// successive reads never decrease. O(1).
  virtual Frozen<Snapshot> Read() const = 0;

  /// Calls `done` once, with a revision R, as soon as Read() includes R and R includes every commit
  /// that any server had acknowledged before the call: the condition of a linearizable read. A
  /// store with no other writers answers at once, on the calling thread.
  ///
  /// Errors: kTimeout             the backend's newest state did not arrive in time.
  ///         kServiceUnavailable  the backend cannot be reached.
  virtual void Sync(std::move_only_function<void(Result<Revision>)> done) = 0;

  /// The state right after `revision`, for every revision from the floor to the newest. O(1) for
  /// the newest; otherwise at most a few hundred events are undone from the nearest later state
  /// that is kept, O(log n) each. Recent results are cached, so further pages of one list are
  /// cheap.
  ///
  /// Errors: kExpired  below the floor; the message names both.
  ///         kTimeout  later than the newest revision; the message names both.
  virtual Result<Frozen<Snapshot>> ReadAt(Revision revision) const = 0;

  /// Carries out `txn`, or refuses it, and calls `done` exactly once; `done` must be callable. By
  /// then the commit is durable and visible and subscribers have been woken. The implementation
  /// chooses the thread, possibly the calling one before Commit returns; it holds no lock, so
  /// `done` may call the store. If several threads commit, the order of callbacks may differ from
  /// the order of revisions. A Conflict, too, shows only records that are durable and visible by
  /// then.
  ///
  /// Errors: kBadRequest            an empty key, a put without value, two operations on one key.
  ///         kRequestEntityTooLarge a key, a value, or the number of operations, compares, fences.
  ///         kTooManyRequests       the store is full (Options::live_bytes_max).
  ///         kServiceUnavailable    closing, or the backend cannot be reached: not carried out.
  ///         kTimeout               the backend did not answer: the outcome is unknown. Read again
  ///                                and compare before trying anew.
  ///         kInternalError         the value has no durable form.
  /// With any error but kTimeout nothing has changed. If the calling thread has no memory,
  /// std::bad_alloc is thrown, `done` is not called, and nothing has changed either.
  virtual void Commit(Txn txn, CommitCallback done) = 0;

  /// Commit, waiting for the answer. Do not call it on a thread that `done` depends on.
  Result<CommitOutcome> CommitAndWait(Txn txn);

  /// Whether this store supports CommitSteps.
  virtual bool takes_steps() const { return false; }

  /// Carries out all of `steps`, one after the other and each with the next revision, or none of
  /// them. They become durable together, so the disk is flushed once. A step is judged on the state
  /// that the steps before it leave. It must not compare a key that another step writes, because
  /// the caller cannot know that revision yet, and must not involve records that expire. Each step
  /// is answered as by Commit. If one is refused, the others are refused too, with its error or
  /// with kConflict.
  ///
  /// Errors: those of Commit, and kRequestEntityTooLarge for more than kStepsMax steps;
  ///         kServiceUnavailable  the calling thread has no memory.
  ///         kMethodNotAllowed  the store does not support steps (takes_steps()).
  virtual void CommitSteps(std::vector<Step> steps);

  /// The events with a revision greater than `after` on keys that begin with `prefix`.
  ///
  /// Whole revisions, as many as fit into `max` events, and always at least one: a batch exceeds
  /// `max` only if its single revision does, so it never has more than max(max, kTxnOperationsMax)
  /// events. A batch also ends after kEventsExaminedMax events were examined, matching or not; call
  /// again with batch.through until that is the newest revision. If `after` does not exist yet, the
  /// result has no events and through = after.
  ///
  /// O(log n) to find the place, then O(1) per event of the prefix's group (of the whole store, for
  /// a prefix shorter than a group).
  ///
  /// Errors: kExpired  `after` is below the floor, so events are gone; the message names both.
  virtual Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const = 0;

  /// Calls `wake` with the newest revision after each commit that changed something; several
  /// commits may share a call. Calls are one at a time, with ascending revisions, on the threads
  /// that commit. `wake` must be quick, and may call only Read, ReadAt and EventsAfter. Commits
  /// before the subscription are not announced, so call EventsAfter once after subscribing.
  ///
  /// Errors: kTooManyRequests  Options::subscriptions_max exist.
  virtual Result<Subscription> Subscribe(Wake wake) = 0;

  /// Deletes records whose expiry is not after `now`, earliest first, at most `max` and never more
  /// than kTxnOperationsMax in one call, as one ordinary transaction; `done` gets their number, as
  /// with Commit. Call again while that is the maximum. A record that was put again meanwhile has
  /// its new expiry. A backend that expires records by itself answers 0.
  ///
  /// Errors: as for Commit.
  virtual void ExpireDue(WallTime now,
                         size_t max,
                         std::move_only_function<void(Result<size_t>)> done) = 0;

  /// ExpireDue, waiting for the answer.
  Result<size_t> ExpireDueAndWait(WallTime now, size_t max);

  /// Drops history before `revision`, which becomes the floor; it can still be read and followed
  /// from. Live records stay, whatever their age. Compacting again, or lower, changes nothing.
  ///
  /// Errors: kTimeout  later than the newest revision.
  virtual Result<> Compact(Revision revision) = 0;

  virtual Status status() const = 0;
};

}  // namespace dray::store
