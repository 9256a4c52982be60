// SPDX-License-Identifier: Apache-2.0
// Which pods belong together: those of one service, replica set, stateful set or replication
// controller. Pods without rules of their own are spread among those (topology_spread.h).
#pragma once

#include <cstddef>

#include "api/core_v1/pod.h"
#include "api/meta_v1/label_selector.h"
#include "client/mirror.h"

namespace dray::scheduler::inline cluster {

/// Looks at mirrors, which outlive it and have no objects yet when it is made.
class PodCollections {
 public:
  PodCollections(client::Mirror& services,
                 const client::Mirror& replication_controllers,
                 const client::Mirror& replica_sets,
                 const client::Mirror& stateful_sets);

  /// The labels of the pods that belong with this one: what all services of its namespace that
  /// select it select by, and its controller if it is known. Without parts: it is alone.
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
