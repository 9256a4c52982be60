// SPDX-License-Identifier: Apache-2.0
// A store whose answers are taken up by workers: what a request does with them never holds up the
// thread that commits.
#pragma once

#include <functional>

#include "base/worker_pool.h"
#include "store/forwarding_store.h"

namespace dray::server::storage {

/// Everything is `store`'s; callbacks of Sync, Commit and ExpireDue run on a thread of `workers`,
/// as the rest of the work that the caller carries out there. Both outlive it.
class PooledStore final : public store::ForwardingStore {
 public:
  PooledStore(store::Store& store, WorkerPool& workers)
      : ForwardingStore(store), workers_(workers) {}

  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  void Commit(store::Txn txn, store::CommitCallback done) override;
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override;

 private:
  WorkerPool& workers_;
};

}  // namespace dray::server::storage
