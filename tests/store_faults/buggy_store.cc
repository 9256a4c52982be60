// SPDX-License-Identifier: Apache-2.0
#include "tests/store_faults/buggy_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store_faults {

std::string_view BugName(Bug bug) {
  switch (bug) {
    case Bug::kLostWrite: return "LostWrite";
    case Bug::kHalfTransaction: return "HalfTransaction";
    case Bug::kStaleRead: return "StaleRead";
    case Bug::kLostEvent: return "LostEvent";
    case Bug::kReorderedEvents: return "ReorderedEvents";
    case Bug::kDuplicateAfterReconnect: return "DuplicateAfterReconnect";
    case Bug::kSplitRevision: return "SplitRevision";
    case Bug::kWrongPrevious: return "WrongPrevious";
    case Bug::kEarlyBookmark: return "EarlyBookmark";
  }
  return "";
}

std::vector<Bug> AllBugs() {
  std::vector<Bug> bugs;
  for (auto bug = Bug::kLostWrite; bug <= Bug::kEarlyBookmark;
       bug = static_cast<Bug>(static_cast<uint8_t>(bug) + 1)) {
    bugs.push_back(bug);
  }
  return bugs;
}

bool BuggyStore::Now(Bug bug, uint64_t percent) const {
  return bug == bug_ && random_.Next() % 100 < percent;
}

Frozen<store::Snapshot> BuggyStore::Read() const {
  return bug_ == Bug::kStaleRead ? ReadStale() : to().Read();
}

/// A client that has synced misses a write of its own, so the two cannot be concurrent.
Frozen<store::Snapshot> BuggyStore::ReadStale() const {
  const MutexLock lock(mutex_);
  if (old_ == nullptr || random_.Next() % 100 < 40) old_ = to().Read();
  Client& client = clients_[std::this_thread::get_id()];
  const bool must_see_all = std::exchange(client.has_synced, false);
  if (must_see_all && old_->revision() < client.committed) ++times_;
  return old_;
}

void BuggyStore::Sync(std::move_only_function<void(Result<Revision>)> done) {
  {
    const MutexLock lock(mutex_);
    clients_[std::this_thread::get_id()].has_synced = true;
  }
  to().Sync(std::move(done));
}

/// The answer as if `txn` had been carried out at `revision`.
store::Committed BuggyStore::Pretend(const store::Txn& txn, Revision revision) const {
  const Frozen<store::Snapshot> state = to().Read();
  store::Committed committed{.revision = revision, .records = {}};
  for (const store::Operation& operation : txn.operations) {
    const store::Put* put = std::get_if<store::Put>(&operation);
    const std::string& key = put != nullptr ? put->key : std::get<store::Delete>(operation).key;
    const store::Record* old = state->Find(key);
    if (put == nullptr && old == nullptr) {
      committed.records.push_back(nullptr);
      continue;
    }
    store::RecordFields fields =
        old != nullptr ? old->fields() : store::RecordFields{.key = key, .version = 0};
    fields.modified = revision;
    if (old == nullptr) fields.created = revision;
    if (put != nullptr) {
      fields.value = put->value;
      ++fields.version;
    }
    committed.records.push_back(store::MakeRecord(std::move(fields)));
  }
  return committed;
}

void BuggyStore::Commit(store::Txn txn, store::CommitCallback done) {
  const bool is_plain = txn.compares.empty() && !txn.operations.empty();
  if (is_plain && std::holds_alternative<store::Put>(txn.operations[0])) {
    if (Now(Bug::kLostWrite, 30)) {
      ++times_;
      return done(Pretend(txn, Revision{to().Read()->revision().value() + 1}));
    }
  }
  if (txn.operations.size() > 1 && Now(Bug::kHalfTransaction, 50)) {
    store::Txn half = txn;
    half.operations.resize(1);
    Result<store::CommitOutcome> outcome = to().CommitAndWait(half);
    auto* committed = outcome.has_value() ? std::get_if<store::Committed>(&*outcome) : nullptr;
    if (committed != nullptr) {
      const store::Committed whole = Pretend(txn, committed->revision);
      std::copy(
          whole.records.begin() + 1, whole.records.end(), std::back_inserter(committed->records));
      const bool is_lost = std::any_of(whole.records.begin() + 1,
                                       whole.records.end(),
                                       [](const auto& record) { return record != nullptr; });
      if (is_lost) ++times_;
    }
    return done(std::move(outcome));
  }
  to().Commit(std::move(txn),
              [this, client = std::this_thread::get_id(), done = std::move(done)](
                  Result<store::CommitOutcome> outcome) mutable {
                if (const auto* committed =
                        outcome.has_value() ? std::get_if<store::Committed>(&*outcome) : nullptr) {
                  const MutexLock lock(mutex_);
                  clients_[client].committed = committed->revision;
                }
                done(std::move(outcome));
              });
}

/// Applies the bug to a batch; counts it only if it has an effect.
void BuggyStore::Spoil(store::Batch& batch) const {
  auto& events = batch.events;
  if (events.size() > 1 && Now(Bug::kLostEvent, 10)) {
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(random_.Next() % events.size()));
    ++times_;
  }
  if (events.size() > 1 && Now(Bug::kReorderedEvents, 20)) {
    const size_t i = 1 + random_.Next() % (events.size() - 1);
    if (events[i]->revision() != events[i - 1]->revision()) {
      std::swap(events[i], events[i - 1]);
      ++times_;
    }
  }
  if (events.size() > 1 && Now(Bug::kSplitRevision, 50) &&
      events.back()->revision() == events[events.size() - 2]->revision()) {
    events.pop_back();
    batch.through = Revision{events.back()->revision().value() - 1};
    ++times_;
  }
  if (!events.empty() && events.back()->previous != nullptr && Now(Bug::kWrongPrevious, 20)) {
    store::Event event = *events.back();
    event.previous = event.record;
    events.back() = std::make_shared<const store::Event>(std::move(event));
    ++times_;
  }
}

Result<store::Batch> BuggyStore::EventsAfter(Revision after,
                                             std::string_view prefix,
                                             size_t max) const {
  if (Now(Bug::kDuplicateAfterReconnect, 20) && after > store::kFirstRevision) {
    Result<store::Batch> again = to().EventsAfter(Revision{after.value() - 1}, prefix, max);
    const bool shows =
        again.has_value() && !again->events.empty() && again->events.front()->revision() == after;
    if (shows) {
      ++times_;
      return again;
    }
  }
  Result<store::Batch> batch = to().EventsAfter(after, prefix, max);
  if (!batch.has_value()) return batch;
  Spoil(*batch);
  if (Now(Bug::kEarlyBookmark, 20)) {
    const Result<store::Batch> rest = to().EventsAfter(batch->through, prefix, 1);
    if (rest.has_value() && !rest->events.empty()) {
      batch->through = rest->events.back()->revision();
      ++times_;
    }
  }
  return batch;
}

}  // namespace dray::store_faults
