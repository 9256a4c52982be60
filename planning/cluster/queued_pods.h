// SPDX-License-Identifier: Apache-2.0
// Pods that wait in a cluster already when a question about it is asked: which of them run then,
// and which would have run without the change.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "planning/cluster/offline_cluster.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline cluster {

/// The pods that wait for the default scheduler, but for those of `work`: "pod namespace/name".
std::set<std::string> QueuedPods(const OfflineObjects& objects, const std::set<std::string>& work);

/// Puts pods into the order in which the scheduler takes them: first those of `daemons`, whose
/// nodes are new; then by priority; of equal priority first those of `queued`, the oldest first,
/// then all others as given. `daemons` and `queued` hold names as QueuedPods gives them.
void PutInQueueOrder(const std::set<std::string>& daemons,
                     const std::set<std::string>& queued,
                     std::vector<PlacedObject>& pods);

/// A pod whose answer differs.
struct QueuedChange {
  OfflineAnswer then;       // with the change
  std::string node_before;  // where it would run without the change; empty: nowhere
};

struct QueuedReport {
  size_t pods = 0;  // that wait and are decided about
  size_t fit_before = 0, fit_then = 0;
  size_t fit_both = 0, wait_both = 0;
  size_t undecided = 0;  // whose search was given up in one of the two cases; no changes
  std::vector<QueuedChange> changes;  // pods that run in one of the two cases, in the queue's order
};

/// Compares the answers without and with the change. A pod that only one of them has is left out:
/// it is gone, or the search ended before.
QueuedReport CompareQueued(std::span<const OfflineAnswer> before, std::vector<OfflineAnswer> then);

}  // namespace dray::planning::inline cluster
