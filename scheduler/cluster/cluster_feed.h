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

/// For the cache's thread. The arguments must outlive it.
class ClusterFeed {
 public:
  /// Follows taint rules and pod groups only if the cache's options enable them.
  ClusterFeed(
      client::Client& client, World& world, Wakeup& wakeup, const Log& log, ClusterCache& cluster);

  /// Applies new watch events; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  /// Whether all kinds have been listed.
  bool synced() const;
  /// Applies our own write of an object of a followed kind; see client::Informer::Assume.
  void Assume(const api::Object& object);

 private:
  std::list<client::Informer> informers_;  // a list, so that addresses are stable
};

}  // namespace dray::scheduler::inline cluster
