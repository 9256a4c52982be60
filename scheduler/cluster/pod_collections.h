// SPDX-License-Identifier: Apache-2.0
// Which pods belong together: those of one service, replica set, stateful set or replication
// controller. Default spreading counts these pods (topology_spread.h).
#pragma once

#include <cstddef>

#include "api/core_v1/pod.h"
#include "api/meta_v1/label_selector.h"
#include "client/mirror.h"

namespace dray::scheduler::inline cluster {

/// Reads mirrors, which must outlive it and still be empty at construction.
class PodCollections {
 public:
  PodCollections(client::Mirror& services,
                 const client::Mirror& replication_controllers,
                 const client::Mirror& replica_sets,
                 const client::Mirror& stateful_sets);

  /// A selector for the pods that belong with this one: the selectors of all services of its
  /// namespace that select it, and of its controller if that is known. Empty: the pod is alone.
  /// O(services of the namespace).
  api::meta_v1::LabelSelector SelectorFor(const api::core_v1::Pod& pod) const;

 private:
  const client::Mirror& services_;
  const size_t services_of_namespace_;
  const client::Mirror& replication_controllers_;
  const client::Mirror& replica_sets_;
  const client::Mirror& stateful_sets_;
};

}  // namespace dray::scheduler::inline cluster
