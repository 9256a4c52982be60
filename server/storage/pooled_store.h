// SPDX-License-Identifier: Apache-2.0
// A store whose answers are taken up by workers: what a request does with them never holds up the
// thread that commits.
#pragma once

#include <functional>
#include <string_view>

#include "base/worker_pool.h"
#include "store/store.h"

namespace dray::server::storage {

/// Everything is `store`'s; callbacks of Sync, Commit and ExpireDue run on a thread of `workers`,
/// or where the store calls them when the workers' queue is full. Both outlive it.
class PooledStore final : public store::Store {
 public:
  PooledStore(store::Store& store, WorkerPool& workers) : store_(store), workers_(workers) {}

  Frozen<store::Snapshot> Read() const override { return store_.Read(); }
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  Result<Frozen<store::Snapshot>> ReadAt(Revision revision) const override {
    return store_.ReadAt(revision);
  }
  void Commit(store::Txn txn, store::CommitCallback done) override;
  Result<store::Batch> EventsAfter(Revision after,
                                   std::string_view prefix,
                                   size_t max) const override {
    return store_.EventsAfter(after, prefix, max);
  }
  Result<store::Subscription> Subscribe(store::Wake wake) override {
    return store_.Subscribe(std::move(wake));
  }
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override;
  Result<> Compact(Revision revision) override { return store_.Compact(revision); }
  store::Status status() const override { return store_.status(); }

 private:
  store::Store& store_;
  WorkerPool& workers_;
};

}  // namespace dray::server::storage
