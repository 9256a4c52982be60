// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/requests/committer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/frozen.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/mirror/mirror.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/requests/leases.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/messages.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store::etcd::requests {
namespace {

using Kind = rpc::CallFailure::Kind;

/// A fence is a key whose last change must not be later than what was seen, and which is written.
void AddFences(const Txn& txn, const mirror::Mirror& mirror, rpc::TxnQuery& query) {
  std::map<std::string, Revision> slots;  // etcd takes each key once
  for (const Fence& fence : txn.fences) {
    const auto [slot, is_new] = slots.try_emplace(mirror.FenceKey(fence), fence.seen);
    if (!is_new) slot->second = std::min(slot->second, fence.seen);
  }
  for (const auto& [key, seen] : slots) {
    query.conditions.push_back(
        {.of = rpc::TxnQuery::Condition::Of::kModifiedUntil, .key = key, .equals = seen.value()});
    query.writes.push_back({.key = key, .value = std::string()});
  }
}

/// The transaction as etcd takes it, still without leases; fences come after operations and
/// compares. Refers to the values of `txn`.
rpc::TxnQuery QueryOf(const Txn& txn, const mirror::Mirror& mirror) {
  rpc::TxnQuery query;
  for (const Compare& compare : txn.compares) {
    query.conditions.push_back({.of = rpc::TxnQuery::Condition::Of::kModified,
                                .key = compare.key,
                                .equals = compare.modified.value()});
    query.otherwise_read.push_back(compare.key);
  }
  for (const Operation& operation : txn.operations) {
    if (const Put* put = std::get_if<Put>(&operation)) {
      query.writes.push_back({.key = put->key, .value = put->value->bytes()});
    } else {
      query.writes.push_back({.key = std::get<Delete>(operation).key, .value = std::nullopt});
    }
  }
  AddFences(txn, mirror, query);
  return query;
}

bool ChangedAnything(const rpc::TxnAnswer& answer) {
  return answer.succeeded && std::ranges::find(answer.changed, true) != answer.changed.end();
}

/// Null for other writes.
const Put* PutAt(const Txn& txn, size_t index) {
  return index < txn.operations.size() ? std::get_if<Put>(&txn.operations[index]) : nullptr;
}

}  // namespace

/// One transaction. While it is admitted it has a place among those in flight.
struct Committer::Attempt {
  Attempt(Committer& in, Txn asked, CommitCallback answer)
      : committer(in), txn(std::move(asked)), done(std::move(answer)) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    if (is_admitted) committer.Abandon(*this);
  }

  Committer& committer;
  Txn txn;
  CommitCallback done;
  rpc::TxnQuery query{};
  bool is_admitted = false;
  bool is_sent = false;
  std::optional<std::multiset<Revision>::iterator> begun{};
  std::vector<InFlightValues::iterator> values{};
  int lease_tries_left = kLeaseTries;
};

/// A lease that is asked for. If the client drops it without an answer, so are the transactions
/// that wait for the lease.
class Committer::LeaseWait {
 public:
  explicit LeaseWait(Committer& committer) : committer_(&committer) {}
  LeaseWait(LeaseWait&& other) noexcept : committer_(std::exchange(other.committer_, nullptr)) {}
  LeaseWait& operator=(LeaseWait&&) = delete;
  LeaseWait(const LeaseWait&) = delete;
  LeaseWait& operator=(const LeaseWait&) = delete;
  ~LeaseWait() {
    if (committer_ != nullptr) committer_->TakeWaitingForLease().clear();
  }
  void Answered() { committer_ = nullptr; }

 private:
  Committer* committer_;
};

void Committer::Commit(Txn txn, CommitCallback done) {
  auto attempt = std::make_shared<Attempt>(*this, std::move(txn), std::move(done));
  attempt->query = QueryOf(attempt->txn, deps_.mirror);
  if (std::optional<Error> refused = Admit(*attempt)) {
    return attempt->done(Fail(*std::move(refused)));
  }
  // From here on the attempt answers for itself.
  if (RanOutOfMemory([&] { Prepare(attempt); })) return;
}

std::optional<Error> Committer::Admit(Attempt& attempt) {
  const MutexLock lock(mutex_);
  if (in_flight_ == deps_.options.commits_in_flight_max) {
    return Error{
        .reason = StatusReason::kTooManyRequests,
        .message = fmt::format("{} transactions wait for etcd and no more may", in_flight_)};
  }
  ++in_flight_;
  try {
    Note(attempt);
  } catch (const std::bad_alloc&) {
    Release(attempt);
    return OutOfMemory();
  }
  attempt.is_admitted = true;
  return std::nullopt;
}

void Committer::Note(Attempt& attempt) {
  attempt.begun = begun_.insert(deps_.history.newest()->revision());
  attempt.values.reserve(attempt.txn.operations.size());
  for (const Operation& operation : attempt.txn.operations) {
    const Put* put = std::get_if<Put>(&operation);
    if (put != nullptr) attempt.values.push_back(values_.emplace(put->key, put->value));
  }
}

void Committer::Prepare(const Shared& attempt) {
  if (TakeLeases(*attempt)) return Send(attempt);
  {
    const MutexLock lock(mutex_);
    wait_for_lease_.push_back(attempt);
    // One is granted at a time: those who wait may find that it does for them too.
    if (wait_for_lease_.size() > 1) return;
  }
  // If it could not be asked for, LeaseWait has dropped those who wait, or there was no memory for
  // it.
  if (RanOutOfMemory([&] { Grant(attempt); })) TakeWaitingForLease().clear();
}

/// Whether every put that expires has a lease.
bool Committer::TakeLeases(Attempt& attempt) {
  const WallTime now = deps_.world.clock.Now();
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < attempt.query.writes.size(); ++i) {
    const Put* put = PutAt(attempt.txn, i);
    rpc::TxnQuery::Write& write = attempt.query.writes[i];
    if (put == nullptr || !put->expiry.has_value() || write.lease != 0) continue;
    write.lease = leases_.Take(*put->expiry, now).value_or(0);
    if (write.lease == 0) return false;
  }
  return true;
}

/// Grants what the first put without a lease needs.
void Committer::Grant(const Shared& attempt) {
  for (size_t i = 0; i < attempt->query.writes.size(); ++i) {
    const Put* put = PutAt(attempt->txn, i);
    if (put == nullptr || !put->expiry.has_value() || attempt->query.writes[i].lease != 0) continue;
    const WallTime asked = deps_.world.clock.Now();
    const int64_t ttl_seconds = Leases::TtlSeconds(*put->expiry, asked);
    return deps_.client.GrantLease(
        ttl_seconds,
        deps_.options.commit_timeout,
        [this, attempt, i, asked, wait = LeaseWait(*this)](
            rpc::Answer<rpc::LeaseAnswer> answer) mutable {
          wait.Answered();
          if (answer.has_value()) attempt->query.writes[i].lease = answer->id;
          OnLease(answer.has_value() ? answer->ttl_seconds : 0, asked, std::move(answer));
        });
  }
  DRAY_CHECK(false);
}

void Committer::OnLease(int64_t ttl_seconds, WallTime asked, rpc::Answer<rpc::LeaseAnswer> answer) {
  const std::vector<Shared> waiting = TakeWaitingForLease();
  if (answer.has_value()) {
    const MutexLock lock(mutex_);
    leases_.Add(answer->id, ttl_seconds, asked);
  }
  for (const Shared& attempt : waiting) {
    if (answer.has_value()) {
      Prepare(attempt);
    } else {
      // A lease that was granted unheard ends by itself: nothing has been carried out.
      Finish(attempt, Fail(rpc::ReadError(answer.error())));
    }
  }
}

// The caller drops them outside of the lock: the last reference to one answers it.
std::vector<Committer::Shared> Committer::TakeWaitingForLease() {
  const MutexLock lock(mutex_);
  return std::exchange(wait_for_lease_, {});
}

void Committer::Send(const Shared& attempt) {
  attempt->is_sent = true;
  deps_.client.Txn(attempt->query,
                   deps_.options.commit_timeout,
                   [this, attempt](rpc::Answer<rpc::TxnAnswer> answer) {
                     OnAnswer(attempt, std::move(answer));
                   });
}

void Committer::OnAnswer(const Shared& attempt, rpc::Answer<rpc::TxnAnswer> answer) {
  if (!answer.has_value()) return OnFailure(attempt, answer.error());
  const Revision revision = answer->revision;
  const bool changed = ChangedAnything(*answer);
  if (changed) ClearNoSpace(*attempt);
  const bool is_here =
      deps_.waiters.WaitFor(revision,
                            deps_.world.clock.Monotonic() + deps_.options.commit_timeout,
                            [this, attempt, answer = *std::move(answer)](mirror::WaitOutcome how) {
                              OnWaitOutcome(attempt, answer, how);
                            });
  // A change arrives as an event; after a transaction that only compared, no event may come.
  if (!is_here && !changed) deps_.request_progress();
}

/// A put went through: if the database was full, it is so no more.
void Committer::ClearNoSpace(const Attempt& attempt) {
  const bool puts = std::ranges::any_of(attempt.query.writes, [](const rpc::TxnQuery::Write& each) {
    return each.value.has_value();
  });
  const MutexLock lock(mutex_);
  if (puts) failure_.clear();
}

void Committer::OnFailure(const Shared& attempt, const rpc::CallFailure& failure) {
  if (failure.kind == Kind::kLeaseNotFound && --attempt->lease_tries_left > 0) {
    {
      const MutexLock lock(mutex_);
      for (rpc::TxnQuery::Write& write : attempt->query.writes) {
        leases_.Forget(std::exchange(write.lease, 0));
      }
    }
    return Prepare(attempt);
  }
  if (failure.kind == Kind::kNoSpace) {
    const MutexLock lock(mutex_);
    failure_ = failure.message;
  }
  Finish(attempt, Fail(rpc::CommitError(failure)));
}

void Committer::OnWaitOutcome(const Shared& attempt,
                              const rpc::TxnAnswer& answer,
                              mirror::WaitOutcome how) {
  std::string_view why;
  switch (how) {
    case mirror::WaitOutcome::kReached: {
      std::optional<CommitOutcome> outcome = OutcomeOf(*attempt, answer);
      if (outcome.has_value()) return Finish(attempt, *std::move(outcome));
      why = "the watch has lost the history around it";
      break;
    }
    case mirror::WaitOutcome::kTimedOut: why = "the watch has not brought it in time"; break;
    case mirror::WaitOutcome::kClosing: why = "the store is closing"; break;
  }
  Finish(attempt,
         Fail(StatusReason::kTimeout,
              fmt::format("etcd {} at revision {}, but {}: read before trying again",
                          ChangedAnything(answer) ? "carried the transaction out" : "answered",
                          answer.revision.value(),
                          why)));
}

std::optional<CommitOutcome> Committer::OutcomeOf(const Attempt& attempt,
                                                  const rpc::TxnAnswer& answer) const {
  if (!answer.succeeded) return ConflictOf(attempt, answer);
  if (ChangedAnything(answer)) return CommittedOf(attempt, answer);
  return Committed{.revision = answer.revision,
                   .records = std::vector<Frozen<Record>>(attempt.txn.operations.size())};
}

Conflict Committer::ConflictOf(const Attempt& attempt, const rpc::TxnAnswer& answer) const {
  Conflict conflict{.revision = answer.revision, .mismatches = {}};
  const Frozen<Snapshot> newest = deps_.history.newest();
  for (size_t i = 0; i < answer.read.size(); ++i) {
    const Compare& compare = attempt.txn.compares[i];
    const std::optional<rpc::KeyValue>& kv = answer.read[i];
    if ((kv.has_value() ? kv->modified : kAbsent) == compare.modified) continue;
    Frozen<Record> current;
    if (kv.has_value()) {
      // Usually the mirror has it, decoded, or something newer.
      current = newest->Get(compare.key);
      if (current == nullptr || current->modified != kv->modified) {
        current = deps_.mirror.RecordOf(*kv);
      }
    }
    conflict.mismatches.push_back({.key = compare.key, .current = std::move(current)});
  }
  conflict.fenced = conflict.mismatches.empty();
  DRAY_CHECK(!conflict.fenced || !attempt.txn.fences.empty());
  return conflict;
}

/// Nothing if the mirror came past the revision without its events.
std::optional<Committed> Committer::CommittedOf(const Attempt& attempt,
                                                const rpc::TxnAnswer& answer) const {
  const MutexLock lock(mutex_);
  const auto change = std::ranges::lower_bound(
      recent_, answer.revision, {}, [](const Change& each) { return each.next->revision(); });
  if (change == recent_.end() || change->next->revision() != answer.revision) return std::nullopt;
  Committed committed{.revision = answer.revision, .records = {}};
  for (size_t i = 0; i < attempt.txn.operations.size(); ++i) {
    committed.records.emplace_back();
    if (!answer.changed[i]) continue;
    const std::string_view key = attempt.query.writes[i].key;
    const auto event = std::ranges::find(
        change->events, key, [](const Frozen<Event>& each) { return each->record->key(); });
    DRAY_CHECK(event != change->events.end());
    committed.records.back() = (*event)->record;
  }
  return committed;
}

void Committer::Finish(const Shared& attempt, Result<CommitOutcome> outcome) {
  deps_.callbacks.Post([this, attempt, outcome = std::move(outcome)]() mutable {
    Forget(*attempt);
    attempt->done(std::move(outcome));
  });
}

// What was admitted ends without an answer.
void Committer::Abandon(Attempt& attempt) {
  Forget(attempt);
  Error error = OutOfMemory();
  if (attempt.is_sent) error.reason = StatusReason::kTimeout;
  attempt.done(Fail(std::move(error)));
}

void Committer::Forget(Attempt& attempt) {
  const MutexLock lock(mutex_);
  attempt.is_admitted = false;
  Release(attempt);
}

void Committer::Release(Attempt& attempt) {
  --in_flight_;
  for (const auto value : attempt.values) values_.erase(value);
  if (attempt.begun.has_value()) begun_.erase(*attempt.begun);
  const Revision needed_after = begun_.empty() ? Revision{INT64_MAX} : *begun_.begin();
  while (!recent_.empty() && recent_.front().next->revision() <= needed_after) recent_.pop_front();
}

void Committer::BeforePublishing(const Change& change) {
  const MutexLock lock(mutex_);
  if (!begun_.empty()) recent_.push_back(change);
}

Frozen<Value> Committer::ValueInFlight(std::string_view key, std::string_view bytes) const {
  const MutexLock lock(mutex_);
  const auto [first, last] = values_.equal_range(key);
  const auto same =
      std::find_if(first, last, [&](const auto& each) { return each.second->bytes() == bytes; });
  return same == last ? nullptr : same->second;
}

std::string Committer::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

}  // namespace dray::store::etcd::requests
