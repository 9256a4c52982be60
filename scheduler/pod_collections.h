// SPDX-License-Identifier: Apache-2.0
// Which pods belong together: those of one service, replica set, stateful set or replication
// controller. Pods without rules of their own are spread among those (topology_spread.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/meta_v1/label_selector.h"
#include "base/log.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"

namespace dray::scheduler {

/// Belongs to the thread of the scheduler. The arguments outlive it.
class PodCollections {
 public:
  PodCollections(client::Client& client, World& world, Wakeup& wakeup, const Log& log);

  /// Applies what has arrived; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const;

  /// The labels of the pods that belong with this one: what all services of its namespace that
  /// select it select by, and its controller if it is known. Without parts: it is alone.
  /// O(services of the namespace).
  api::meta_v1::LabelSelector SelectorFor(const api::core_v1::Pod& pod) const;

 private:
  client::Informer services_;
  size_t services_of_namespace_;
  client::Informer replication_controllers_;
  client::Informer replica_sets_;
  client::Informer stateful_sets_;
};

}  // namespace dray::scheduler
