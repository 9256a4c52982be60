// SPDX-License-Identifier: Apache-2.0
#include "control_plane/housekeeping.h"

namespace dray::control_plane {

Housekeeping::Housekeeping(store::Store& store, const Clock& clock, net::Reactor& reactor)
    : store_(store), clock_(clock), reactor_(reactor) {
  reactor_.Post([this] { Schedule(); });
}

void Housekeeping::Schedule() {
  timer_ = reactor_.RunAfter(kPeriod, [this] {
    const auto due = store_.status().next_expiry;
    const WallTime now = clock_.Now();
    // A failure is met again at the next turn; nothing waits for the outcome.
    if (due.has_value() && *due <= now) store_.ExpireDue(now, kBatchMax, [](const auto&) {});
    Schedule();
  });
}

}  // namespace dray::control_plane
