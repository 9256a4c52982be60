// SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store {
namespace {

Frozen<Snapshot> EmptySnapshot() {
  return std::make_shared<const Snapshot>(kFirstRevision, Tree());
}

}  // namespace

MemoryStore::MemoryStore(const Options& options)
    : id_(IdText(options.new_id)),
      subscriptions_(options),
      history_(options, EmptySnapshot()),
      sequencer_(options, history_.newest()) {}

Frozen<Snapshot> MemoryStore::Read() const {
  return history_.newest();
}

void MemoryStore::Sync(std::move_only_function<void(Result<Revision>)> done) {
  done(history_.newest()->revision());
}

Result<Frozen<Snapshot>> MemoryStore::ReadAt(Revision revision) const {
  return history_.ReadAt(revision);
}

void MemoryStore::Commit(Txn txn, CommitCallback done) {
  Result<CommitOutcome> outcome = CommitNow(txn);
  subscriptions_.Announce(history_.newest_event());
  done(std::move(outcome));
}

Result<CommitOutcome> MemoryStore::CommitNow(const Txn& txn) {
  DRAY_TRY_VOID(CheckTxn(txn));
  const MutexLock lock(writer_);
  return AcceptAndPublish(txn);
}

Result<CommitOutcome> MemoryStore::AcceptAndPublish(const Txn& txn) {
  DRAY_TRY(auto outcome, sequencer_.Judge(txn));
  if (auto* conflict = std::get_if<Conflict>(&outcome)) return std::move(*conflict);
  auto& judged = std::get<Sequencer::Judged>(outcome);
  // If there is no memory, this call and the two above leave everything unchanged.
  if (!judged.change.events.empty()) history_.Publish(judged.change);
  sequencer_.Apply(txn, judged);
  return std::move(judged.change.committed);
}

Result<Batch> MemoryStore::EventsAfter(Revision after, std::string_view prefix, size_t max) const {
  return history_.EventsAfter(after, prefix, max);
}

Result<Subscription> MemoryStore::Subscribe(Wake wake) {
  return subscriptions_.Add(std::move(wake));
}

void MemoryStore::ExpireDue(WallTime now,
                            size_t max,
                            std::move_only_function<void(Result<size_t>)> done) {
  Result<size_t> deleted = ExpireNow(now, max);
  subscriptions_.Announce(history_.newest_event());
  done(std::move(deleted));
}

Result<size_t> MemoryStore::ExpireNow(WallTime now, size_t max) {
  const MutexLock lock(writer_);
  const Txn txn = sequencer_.DueBy(now, max);
  DRAY_TRY_VOID(AcceptAndPublish(txn));
  return txn.operations.size();
}

Result<> MemoryStore::Compact(Revision revision) {
  return history_.Compact(revision);
}

Status MemoryStore::status() const {
  Status status{.id = id_};
  history_.AddTo(status);
  status.subscriptions = subscriptions_.size();
  const MutexLock lock(writer_);
  status.live_bytes = sequencer_.live_bytes();
  status.next_expiry = sequencer_.next_expiry();
  return status;
}

}  // namespace dray::store
