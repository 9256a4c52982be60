// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/cluster_feed.h"

#include <algorithm>

#include "base/check.h"
#include "client/loop.h"
#include "client/mirror.h"

namespace dray::scheduler::inline cluster {

ClusterFeed::ClusterFeed(
    client::Client& client, World& world, Wakeup& wakeup, const Log& log, ClusterCache& cluster) {
  ClusterObjects& objects = cluster.objects();
  const ClusterCache::Options& wanted = cluster.options();
  for (const FollowedKind& one : FollowedKinds()) {
    client::Mirror& into = objects.*one.mirror;
    if (&into == &objects.taint_rules && !wanted.taint_rules.has_value()) continue;
    if (&into == &objects.groups && !wanted.pod_groups) continue;
    // There are many of these, and what attempts need of them is kept beside them. The others are
    // asked for by every attempt.
    const bool is_borrowed =
        &into == &objects.pods || &into == &objects.claims || &into == &objects.slices;
    informers_.emplace_back(client,
                            *one.kind,
                            world.clock,
                            wakeup,
                            log,
                            client::Informer::Options{.holds_structs = !is_borrowed},
                            &into);
  }
}

std::optional<MonotonicTime> ClusterFeed::Step() {
  std::optional<MonotonicTime> next;
  for (client::Informer& informer : informers_) next = client::Earlier(next, informer.Step());
  return next;
}

bool ClusterFeed::synced() const {
  return std::ranges::all_of(informers_, &client::Informer::synced);
}

void ClusterFeed::Assume(const api::Object& object) {
  const auto found = std::ranges::find_if(informers_, [&](const client::Informer& informer) {
    return &informer.kind().type() == &object.type();
  });
  DRAY_CHECK(found != informers_.end());
  found->Assume(object);
}

}  // namespace dray::scheduler::inline cluster
