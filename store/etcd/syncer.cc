// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/syncer.h"

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
#include "store/etcd/arrivals.h"
#include "store/etcd/call_failure.h"
#include "store/etcd/messages.h"

namespace dray::store::etcd {

void Syncer::Sync(SyncCallback done) {
  if (!Enqueue(done)) {
    return done(Fail(StatusReason::kTooManyRequests,
                     fmt::format("{} reads wait for etcd's revision and no more may",
                                 around_.options.syncs_waiting_max)));
  }
  Tick();
}

bool Syncer::Enqueue(SyncCallback& done) {
  const MonotonicTime now = around_.world.clock.Monotonic();
  const MutexLock lock(mutex_);
  if (under_way_ >= around_.options.syncs_waiting_max) return false;
  ++under_way_;
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
  around_.client.Range(
      {.keys = {.first = around_.key, .end = {}}, .limit = 1, .count_only = true},
      around_.options.sync_timeout,
      [this, waiting = std::move(waiting)](const Answer<RangeAnswer>& answer) mutable {
        OnAnswer(std::move(waiting), answer);
      });
}

void Syncer::OnAnswer(std::vector<Waiting> waiting, const Answer<RangeAnswer>& answer) {
  const MonotonicTime now = around_.world.clock.Monotonic();
  std::vector<Waiting> next;
  {
    const MutexLock lock(mutex_);
    if (!answer.has_value() && answer.error().kind != CallFailure::Kind::kDenied) {
      // It was only a question: Tick asks again, for those who still have time.
      const auto patience = around_.options.sync_timeout / 3;
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
      Finish(std::move(each), Fail(ReadError(answer.error())));
    }
  }
  if (!next.empty()) Ask(std::move(next));
}

void Syncer::AwaitMirror(Waiting waiting, Revision revision) {
  const MonotonicTime deadline = waiting.since + around_.options.sync_timeout;
  const bool is_here = around_.arrivals.WaitFor(
      revision, deadline, [this, waiting = std::move(waiting), revision](Arrival how) mutable {
        switch (how) {
          case Arrival::kReached: return Finish(std::move(waiting), revision);
          case Arrival::kTooLate:
            return Finish(std::move(waiting),
                          Fail(StatusReason::kTimeout,
                               fmt::format("etcd is at revision {}, but the watch has not brought "
                                           "it in time",
                                           revision.value())));
          case Arrival::kClosing:
            return Finish(std::move(waiting),
                          Fail(StatusReason::kServiceUnavailable, "the store is closing"));
        }
      });
  if (!is_here) around_.hurry();
}

void Syncer::Finish(Waiting waiting, Result<Revision> result) {
  around_.answers.Post([this, waiting = std::move(waiting), result = std::move(result)]() mutable {
    {
      const MutexLock lock(mutex_);
      --under_way_;
    }
    waiting.done(std::move(result));
  });
}

}  // namespace dray::store::etcd
