// SPDX-License-Identifier: Apache-2.0
#include "scheduler/volume_mirror.h"

#include <utility>

#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "client/loop.h"

namespace dray::scheduler {

namespace core_v1 = api::core_v1;

VolumeMirror::VolumeMirror(
    client::Client& client, World& world, Wakeup& wakeup, const Log& log, SchedulingQueue& queue)
    : volumes_(client, api::Reflected<core_v1::PersistentVolume>::kKind, world.clock, wakeup, log),
      claims_(
          client, api::Reflected<core_v1::PersistentVolumeClaim>::kKind, world.clock, wakeup, log) {
  for (client::Informer* informer : {&volumes_, &claims_}) {
    informer->OnChange([&world, &queue](auto*, auto*) {
      queue.MoveOnEvent(ClusterEvent::kVolumes, world.clock.Monotonic());
    });
  }
}

std::optional<MonotonicTime> VolumeMirror::Step() {
  return client::Earlier(volumes_.Step(), claims_.Step());
}

VolumeNeeds VolumeMirror::NeedsOf(const core_v1::Pod& pod,
                                  std::function<bool(std::string_view claim_key)> is_in_use) const {
  return VolumeNeedsOf(
      pod,
      {.find_claim = [this](std::string_view key) { return claims_.Find(key); },
       .find_volume = [this](std::string_view name) { return volumes_.Find(name); },
       .is_in_use = std::move(is_in_use)});
}

}  // namespace dray::scheduler
