// SPDX-License-Identifier: Apache-2.0
// A store in memory. Nothing survives the process; all other guarantees of Store hold.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/history.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/subscriptions.h"

namespace dray::store {

/// Commits on the calling thread, so `done` has been called when Commit, Sync or ExpireDue returns.
/// Never asks a value for its bytes().
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const Options& options = {});

  Frozen<Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const override;
  void Commit(Txn txn, CommitCallback done) override;
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const override;
  Result<Subscription> Subscribe(Wake wake) override;
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override;
  Result<> Compact(Revision revision) override;
  Status status() const override;

 private:
  Result<CommitOutcome> CommitNow(const Txn& txn);
  Result<size_t> ExpireNow(WallTime now, size_t max);
  Result<CommitOutcome> AcceptAndPublish(const Txn& txn) DRAY_REQUIRES(writer_);

  const std::string id_;
  Subscriptions subscriptions_;
  History history_;
  mutable Mutex writer_;  // held by the thread that commits; never held while calling back
  Sequencer sequencer_ DRAY_GUARDED_BY(writer_);
};

}  // namespace dray::store
