// SPDX-License-Identifier: Apache-2.0
#include "control_plane/housekeeping.h"

#include <chrono>

#include "base/result.h"
#include "base/strong.h"
#include "base/task.h"
#include "base/world.h"
#include "net/reactor.h"
#include "server/verbs/resources.h"
#include "store/store.h"

namespace dray::control_plane {

Housekeeping::Housekeeping(store::Store& store,
                           const Clock& clock,
                           net::Reactor& reactor,
                           server::verbs::Resources& resources,
                           std::chrono::nanoseconds compact_every)
    : store_(store),
      clock_(clock),
      reactor_(reactor),
      resources_(resources),
      compact_every_(compact_every) {
  reactor_.Post([this] {
    Schedule();
    if (compact_every_.count() > 0) ScheduleCompaction(store_.Read()->revision());
  });
}

Housekeeping::~Housekeeping() {
  is_writing_.wait(true);
}

// Components retry their own objects. Once all writes are made, this does nothing.
void Housekeeping::RepeatOwnWrites() {
  if (resources_.own_writes().all_made() || is_writing_.exchange(true)) return;
  Start(resources_.RepeatOwnWrites(), [this](const Result<>& /*outcome*/) {
    is_writing_.store(false);
    is_writing_.notify_all();
  });
}

void Housekeeping::ScheduleCompaction(Revision then) {
  compaction_timer_ = reactor_.RunAfter(compact_every_, [this, then] {
    const Revision newest = store_.Read()->revision();
    resources_.ForgetStatesBefore(then);
    ScheduleCompaction(newest);
  });
}

void Housekeeping::Schedule() {
  timer_ = reactor_.RunAfter(kPeriod, [this] {
    const auto due = store_.status().next_expiry;
    const WallTime now = clock_.Now();
    // The next turn repeats a failed expiry; no caller waits for the outcome.
    if (due.has_value() && *due <= now) store_.ExpireDue(now, kBatchMax, [](const auto&) {});
    resources_.DropIdleLists(now);
    RepeatOwnWrites();
    Schedule();
  });
}

}  // namespace dray::control_plane
