// SPDX-License-Identifier: Apache-2.0
// Pods that already wait in a cluster before a change is planned: which of them would run with the
// change, and which without it.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "planning/cluster/offline_cluster.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline cluster {

/// The pods that wait for the default scheduler, without those of `work`: "pod namespace/name".
std::set<std::string> QueuedPods(const OfflineObjects& objects, const std::set<std::string>& work);

/// Sorts pods as the scheduler takes them: first those of `daemons`, whose nodes are new; then by
/// priority; within a priority first those of `queued`, the oldest first, then all others as given.
/// `daemons` and `queued` hold names as QueuedPods returns them.
void PutInQueueOrder(const std::set<std::string>& daemons,
                     const std::set<std::string>& queued,
                     std::vector<PlacedObject>& pods);

/// A pod with different answers without and with the change.
struct QueuedChange {
  OfflineAnswer then;       // with the change
  std::string node_before;  // without the change; empty: it fits nowhere
};

struct QueuedReport {
  size_t pods = 0;  // that wait for a decision
  size_t fit_before = 0, fit_then = 0;
  size_t fit_both = 0, wait_both = 0;
  size_t undecided = 0;               // with a search that was given up in one case
  std::vector<QueuedChange> changes;  // pods that run in one of the two cases, in the queue's order
};

/// Compares the answers without and with the change. Leaves out a pod that only one of them has: it
/// is deleted, or the search ended before it.
QueuedReport CompareQueued(std::span<const OfflineAnswer> before, std::vector<OfflineAnswer> then);

}  // namespace dray::planning::inline cluster
