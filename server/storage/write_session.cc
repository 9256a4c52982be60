// SPDX-License-Identifier: Apache-2.0
#include "server/storage/write_session.h"

#include <coroutine>
#include <utility>

#include "server/errors/errors.h"

namespace dray::server::storage {
namespace {

// An awaitable after which the coroutine continues on a thread of the pool.
struct ToWorker {
  WorkerPool* workers;
  std::string_view line;

  bool await_ready() const { return workers == nullptr || workers->in_pool(); }
  // Returns false when the pool is closing, and the coroutine continues on this thread. Once the
  // work is posted, another thread may have destroyed the coroutine and this object with it.
  bool await_suspend(std::coroutine_handle<> caller) const {
    return workers != nullptr && workers->TryPostRest([caller] { caller.resume(); }, line);
  }
  void await_resume() const noexcept {}
};

// Upstream answers with the words of its store.
Result<store::CommitOutcome> InWordsOfUpstream(Result<store::CommitOutcome> outcome) {
  const bool is_too_large =
      !outcome.has_value() && outcome.error().reason == StatusReason::kRequestEntityTooLarge;
  if (!is_too_large) return outcome;
  return Fail(errors::Untyped("etcdserver: request is too large"));
}

}  // namespace

WriteSession::WriteSession(store::Store& store, const Place& place)
    : store_(store),
      workers_(place.workers),
      line_(place.line),
      sequence_(place.sequence),
      by_worker_(workers_ != nullptr && workers_->in_pool()) {}

Frozen<store::Snapshot> WriteSession::Read() const {
  return sequence_ == nullptr ? store_.Read() : sequence_->state();
}

Task<Frozen<store::Snapshot>> WriteSession::ReadNewest() {
  if (sequence_ != nullptr) co_return sequence_->state();
  auto start = [this](auto done) { store_.Sync(std::move(done)); };
  const Result<Revision> synced = co_await FromCallback<Result<Revision>>(std::move(start));
  if (by_worker_) co_await ToWorker{.workers = workers_, .line = line_};
  if (!synced.has_value()) co_return Fail(synced.error());
  co_return store_.Read();
}

Task<store::CommitOutcome> WriteSession::Commit(store::Txn txn) {
  WriteSequence* const sequence = std::exchange(sequence_, nullptr);
  auto start = [this, sequence, &txn](auto done) {
    if (sequence != nullptr) return sequence->Add(std::move(txn), std::move(done));
    store_.Commit(std::move(txn), std::move(done));
  };
  auto outcome = co_await FromCallback<Result<store::CommitOutcome>>(std::move(start));
  if (by_worker_) co_await ToWorker{.workers = workers_, .line = line_};
  co_return InWordsOfUpstream(std::move(outcome));
}

Task<> WriteSession::ContinueOnWorker() {
  by_worker_ = workers_ != nullptr;
  co_await ToWorker{.workers = workers_, .line = line_};
  co_return {};
}

}  // namespace dray::server::storage
