// SPDX-License-Identifier: Apache-2.0
// Transactions on their way to etcd, and back through the mirror.
//
// etcd decides; its answer has the revision. The user is told once the mirror has come to that
// revision, with the records as the mirror has them. Two things are kept while transactions are
// under way: the changes the mirror publishes, for the records of those whose watch was faster than
// their answer; and the values being written, so that the mirror need not decode what this process
// has just encoded.
//
// Nothing is sent twice, with one exception: a put whose lease is gone was refused as a whole, and
// is sent with a new lease.
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

#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/answers.h"
#include "store/etcd/arrivals.h"
#include "store/etcd/client.h"
#include "store/etcd/leases.h"
#include "store/etcd/messages.h"
#include "store/etcd/mirror.h"
#include "store/etcd/options.h"
#include "store/history.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/store.h"

namespace dray::store::etcd {

class Committer {
 public:
  /// What it works with; all outlive it.
  struct Around {
    World& world;
    const EtcdOptions& options;
    Client& client;
    const History& history;
    const Mirror& mirror;  // for what never changes of it
    Arrivals& arrivals;
    Answers& answers;
    /// Called when an answer waits for the mirror.
    std::function<void()> hurry;
  };

  explicit Committer(Around around) : around_(std::move(around)) {}
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer() = default;

  /// As Store::Commit, for a transaction that has operations or compares and is well formed. Calls
  /// back through Answers.
  void Commit(Txn txn, CommitCallback done);

  /// The mirror is about to publish a change.
  void Note(const Change& change);

  /// The value that is being written under `key` with these bytes; null if there is none.
  Frozen<Value> UnderWay(std::string_view key, std::string_view bytes) const;

  /// Why etcd takes no more puts; empty while it does.
  std::string failure() const;

 private:
  struct Attempt;
  using Shared = std::shared_ptr<Attempt>;

  static constexpr int kLeaseTries = 3;

  std::optional<Error> Admit(Attempt& attempt);
  void Prepare(const Shared& attempt);
  bool TakeLeases(Attempt& attempt);
  void Grant(const Shared& attempt);
  void OnLease(int64_t ttl_seconds, WallTime asked, Answer<LeaseAnswer> answer);
  void Send(const Shared& attempt);
  void OnAnswer(const Shared& attempt, Answer<TxnAnswer> answer);
  void OnFailure(const Shared& attempt, const CallFailure& failure);
  void NoteRoom(const Attempt& attempt);
  void OnArrival(const Shared& attempt, const TxnAnswer& answer, Arrival how);
  std::optional<CommitOutcome> OutcomeOf(const Attempt& attempt, const TxnAnswer& answer) const;
  Conflict ConflictOf(const Attempt& attempt, const TxnAnswer& answer) const;
  std::optional<Committed> CommittedOf(const Attempt& attempt, const TxnAnswer& answer) const;
  void Finish(const Shared& attempt, Result<CommitOutcome> outcome);
  void Forget(const Attempt& attempt);

  const Around around_;
  mutable Mutex mutex_;
  size_t under_way_ DRAY_GUARDED_BY(mutex_) = 0;
  std::multiset<Revision> begun_ DRAY_GUARDED_BY(mutex_);  // where the mirror was
  std::deque<Change> recent_ DRAY_GUARDED_BY(mutex_);      // changes after the earliest of begun_
  std::multimap<std::string, Frozen<Value>, std::less<>> values_ DRAY_GUARDED_BY(mutex_);
  Leases leases_ DRAY_GUARDED_BY(mutex_);
  std::vector<Shared> wait_for_lease_ DRAY_GUARDED_BY(mutex_);  // while one is being granted
  std::string failure_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::etcd
