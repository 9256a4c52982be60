// SPDX-License-Identifier: Apache-2.0
// The volumes of a cluster and the claims for them, as the scheduler follows them.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/core_v1/pod.h"
#include "base/log.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "scheduler/queue.h"
#include "scheduler/volumes.h"

namespace dray::scheduler {

/// Belongs to the thread of the scheduler. The arguments outlive it; changes wake pods in `queue`.
class VolumeMirror {
 public:
  VolumeMirror(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, SchedulingQueue& queue);

  /// Applies what has arrived; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const { return volumes_.synced() && claims_.synced(); }

  /// Valid until the next Step. `is_in_use` as in VolumeLookups.
  VolumeNeeds NeedsOf(const api::core_v1::Pod& pod,
                      std::function<bool(std::string_view claim_key)> is_in_use) const;

 private:
  client::Informer volumes_;
  client::Informer claims_;
};

}  // namespace dray::scheduler
