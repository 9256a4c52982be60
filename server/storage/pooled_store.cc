// SPDX-License-Identifier: Apache-2.0
#include "server/storage/pooled_store.h"

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace dray::server::storage {
namespace {

// `done`, called by a worker, as work of the owner whose work the calling worker carries out. The
// answer is shared with the work that waits, so that it is still there when the pool ends.
template <class T>
auto ByWorker(WorkerPool& workers, std::move_only_function<void(Result<T>)> done) {
  struct Answer {
    std::move_only_function<void(Result<T>)> done;
    Result<T> value;
  };
  return [&workers, done = std::move(done), owner = std::string(WorkerPool::owner_at_work())](
             Result<T> value) mutable {
    if (workers.in_pool()) return done(std::move(value));
    std::shared_ptr<Answer> answer;
    try {
      answer = std::make_shared<Answer>(std::move(done), std::move(value));
      const auto go_on = [answer] { answer->done(std::move(answer->value)); };
      if (workers.TryPostRest(go_on, owner)) return;
    } catch (const std::bad_alloc&) {
      if (answer == nullptr) return done(std::move(value));
    }
    answer->done(std::move(answer->value));
  };
}

}  // namespace

void PooledStore::Sync(std::move_only_function<void(Result<Revision>)> done) {
  to().Sync(ByWorker<Revision>(workers_, std::move(done)));
}

void PooledStore::Commit(store::Txn txn, store::CommitCallback done) {
  to().Commit(std::move(txn), ByWorker<store::CommitOutcome>(workers_, std::move(done)));
}

void PooledStore::ExpireDue(WallTime now,
                            size_t max,
                            std::move_only_function<void(Result<size_t>)> done) {
  to().ExpireDue(now, max, ByWorker<size_t>(workers_, std::move(done)));
}

}  // namespace dray::server::storage
