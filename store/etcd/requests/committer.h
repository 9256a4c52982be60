// SPDX-License-Identifier: Apache-2.0
// Sends transactions to etcd and answers them when the mirror has their revision.
//
// etcd decides; its answer has the revision. The user is called back once the mirror has reached
// that revision, with the records as the mirror has them. Two things are kept while transactions
// are in flight: the changes that the mirror publishes, because the watch may be faster than the
// answer; and the values being written, so that the mirror need not decode what this process has
// just encoded.
//
// No transaction is sent twice, with one exception: when a lease is gone, etcd has refused the
// whole transaction, and it is sent again with a new lease.
//
// Every transaction that is admitted is answered once and gives its place back, whatever happens on
// the way: if an allocation fails, or the client drops its receiver without an answer, the last
// reference to the attempt answers that its outcome is unknown (kTimeout), or that it was not
// carried out (kServiceUnavailable) where it was never sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/mirror/mirror.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/options.h"
#include "store/etcd/requests/callback_thread.h"
#include "store/etcd/requests/leases.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/history.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/store.h"

namespace dray::store::etcd::requests {

class Committer {
 public:
  /// Used by the committer; all outlive it.
  struct Dependencies {
    World& world;
    const EtcdOptions& options;
    rpc::Client& client;
    const History& history;
    const mirror::Mirror& mirror;  // only for its parts that never change
    mirror::RevisionWaiters& waiters;
    CallbackThread& callbacks;
    /// Called when an answer waits for the mirror, but may have no event that would move the
    /// mirror.
    std::function<void()> request_progress;
  };

  explicit Committer(Dependencies dependencies) : deps_(std::move(dependencies)) {}
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer() = default;

  /// See Store::Commit; the transaction is well-formed and has operations or compares. Calls back
  /// on the callback thread. If memory or an answer is missing, the thread that notices calls back.
  void Commit(Txn txn, CommitCallback done);

  /// To be called before the mirror publishes a change.
  void BeforePublishing(const Change& change);

  /// Returns the value that a transaction in flight writes under `key` with these bytes; null if
  /// none does.
  Frozen<Value> ValueInFlight(std::string_view key, std::string_view bytes) const;

  /// Why etcd refuses puts; empty while it accepts them.
  std::string failure() const;

 private:
  class LeaseWait;
  struct Attempt;
  using Shared = std::shared_ptr<Attempt>;
  using InFlightValues = std::multimap<std::string, Frozen<Value>, std::less<>>;

  static constexpr int kLeaseTries = 3;

  std::optional<Error> Admit(Attempt& attempt);
  void Note(Attempt& attempt) DRAY_REQUIRES(mutex_);
  void Prepare(const Shared& attempt);
  bool TakeLeases(Attempt& attempt);
  void Grant(const Shared& attempt);
  void OnLease(int64_t ttl_seconds, WallTime asked, rpc::Answer<rpc::LeaseAnswer> answer);
  std::vector<Shared> TakeWaitingForLease();
  void Send(const Shared& attempt);
  void OnAnswer(const Shared& attempt, rpc::Answer<rpc::TxnAnswer> answer);
  void OnFailure(const Shared& attempt, const rpc::CallFailure& failure);
  void ClearNoSpace(const Attempt& attempt);
  void OnWaitOutcome(const Shared& attempt, const rpc::TxnAnswer& answer, mirror::WaitOutcome how);
  std::optional<CommitOutcome> OutcomeOf(const Attempt& attempt,
                                         const rpc::TxnAnswer& answer) const;
  Conflict ConflictOf(const Attempt& attempt, const rpc::TxnAnswer& answer) const;
  std::optional<Committed> CommittedOf(const Attempt& attempt, const rpc::TxnAnswer& answer) const;
  void Finish(const Shared& attempt, Result<CommitOutcome> outcome);
  void Forget(Attempt& attempt);
  void Release(Attempt& attempt) DRAY_REQUIRES(mutex_);
  void Abandon(Attempt& attempt);

  const Dependencies deps_;
  mutable Mutex mutex_;
  size_t in_flight_ DRAY_GUARDED_BY(mutex_) = 0;
  std::multiset<Revision> begun_ DRAY_GUARDED_BY(mutex_);  // the mirror's revision when each
                                                           // attempt began
  std::deque<Change> recent_ DRAY_GUARDED_BY(mutex_);      // changes after the earliest of begun_
  InFlightValues values_ DRAY_GUARDED_BY(mutex_);
  Leases leases_ DRAY_GUARDED_BY(mutex_);
  std::vector<Shared> wait_for_lease_ DRAY_GUARDED_BY(mutex_);  // transactions that wait while a
                                                                // lease is being granted
  std::string failure_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::etcd::requests
