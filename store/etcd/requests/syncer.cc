// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/requests/syncer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::requests {

void Syncer::Sync(SyncCallback done) {
  if (!Enqueue(done)) {
    return done(Fail(StatusReason::kTooManyRequests,
                     fmt::format("{} reads wait for etcd's revision and no more may",
                                 deps_.options.syncs_waiting_max)));
  }
  Tick();
}

bool Syncer::Enqueue(SyncCallback& done) {
  const MonotonicTime now = deps_.world.clock.Monotonic();
  const MutexLock lock(mutex_);
  if (in_flight_ >= deps_.options.syncs_waiting_max) return false;
  ++in_flight_;
  waiting_.push_back({.done = std::move(done), .since = now});
  return true;
}

void Syncer::Tick() {
  std::vector<Waiting> now;
  {
    const MutexLock lock(mutex_);
    if (is_asking_ || waiting_.empty()) return;
    now.swap(waiting_);
    is_asking_ = true;
  }
  Ask(std::move(now));
}

void Syncer::Close() {
  std::vector<Waiting> waiting;
  {
    const MutexLock lock(mutex_);
    waiting.swap(waiting_);
  }
  for (Waiting& each : waiting) {
    Finish(std::move(each), Fail(StatusReason::kServiceUnavailable, "the store is closing"));
  }
}

void Syncer::Ask(std::vector<Waiting> waiting) {
  deps_.client.Range(
      {.keys = {.first = deps_.key, .end = {}}, .limit = 1, .count_only = true},
      deps_.options.sync_timeout,
      [this, waiting = std::move(waiting)](const rpc::Answer<rpc::RangeAnswer>& answer) mutable {
        OnAnswer(std::move(waiting), answer);
      });
}

void Syncer::OnAnswer(std::vector<Waiting> waiting, const rpc::Answer<rpc::RangeAnswer>& answer) {
  const MonotonicTime now = deps_.world.clock.Monotonic();
  std::vector<Waiting> next;
  {
    const MutexLock lock(mutex_);
    if (!answer.has_value() && answer.error().kind != rpc::CallFailure::Kind::kDenied) {
      // A read may be repeated: Tick asks again for the Syncs that still have time.
      const auto patience = deps_.options.sync_timeout / 3;
      const auto impatient = std::ranges::partition(
          waiting, [&](const Waiting& each) { return now - each.since >= patience; });
      std::ranges::move(impatient, std::back_inserter(waiting_));
      waiting.erase(impatient.begin(), impatient.end());
      is_asking_ = false;
    } else {
      next.swap(waiting_);
      is_asking_ = !next.empty();
    }
  }
  for (Waiting& each : waiting) {
    if (answer.has_value()) {
      AwaitMirror(std::move(each), answer->newest);
    } else {
      Finish(std::move(each), Fail(rpc::ReadError(answer.error())));
    }
  }
  if (!next.empty()) Ask(std::move(next));
}

void Syncer::AwaitMirror(Waiting waiting, Revision revision) {
  const MonotonicTime deadline = waiting.since + deps_.options.sync_timeout;
  const bool is_here = deps_.waiters.WaitFor(
      revision,
      deadline,
      [this, waiting = std::move(waiting), revision](mirror::WaitOutcome how) mutable {
        switch (how) {
          case mirror::WaitOutcome::kReached: return Finish(std::move(waiting), revision);
          case mirror::WaitOutcome::kTimedOut:
            return Finish(std::move(waiting),
                          Fail(StatusReason::kTimeout,
                               fmt::format("etcd is at revision {}, but the watch has not brought "
                                           "it in time",
                                           revision.value())));
          case mirror::WaitOutcome::kClosing:
            return Finish(std::move(waiting),
                          Fail(StatusReason::kServiceUnavailable, "the store is closing"));
        }
      });
  if (!is_here) deps_.request_progress();
}

void Syncer::Finish(Waiting waiting, Result<Revision> result) {
  deps_.callbacks.Post([this, waiting = std::move(waiting), result = std::move(result)]() mutable {
    {
      const MutexLock lock(mutex_);
      --in_flight_;
    }
    waiting.done(std::move(result));
  });
}

}  // namespace dray::store::etcd::requests
