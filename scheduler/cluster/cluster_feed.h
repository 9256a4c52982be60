// SPDX-License-Identifier: Apache-2.0
// Keeps a ClusterCache current from a server.
#pragma once

#include <list>
#include <optional>

#include "api/object.h"
#include "base/log.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"
#include "scheduler/cluster/cluster_cache.h"

namespace dray::scheduler::inline cluster {

/// One thread, that of the cache. The arguments outlive it.
class ClusterFeed {
 public:
  /// Follows rules about taints and groups only where the cache's options want them.
  ClusterFeed(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, ClusterCache& cluster);

  /// Applies what has arrived; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  /// All kinds have been listed.
  bool synced() const;
  /// An object that its owner wrote; see client::Informer::Assume. Of kinds that are followed.
  void Assume(const api::Object& object);

 private:
  std::list<client::Informer> informers_;  // which stay where they are
};

}  // namespace dray::scheduler::inline cluster
