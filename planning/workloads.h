// SPDX-License-Identifier: Apache-2.0
// The pods that workloads would make, so that they can be asked about before anything makes them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/world.h"
#include "planning/offline_objects.h"

namespace dray::planning {

/// Pods of one workload at most.
inline constexpr size_t kWorkloadPodsMax = 10'000;

/// Whether PodsOf knows the kind: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob,
/// ReplicationController.
bool IsWorkload(const api::Object& object);

/// The pods that run at the same time, named NAME-0, …, as they come from their controller: of a
/// Job its parallelism, of a CronJob those of one of its jobs, of a DaemonSet one for each node
/// that it may run on, NAME-NODE. A suspended Job has none. `replicas` stands in for what the
/// workload says, but not for a DaemonSet. `workload` has its defaults and a namespace (AsStored).
///
/// Errors: kBadRequest  more than kWorkloadPodsMax.
Result<std::vector<PlacedObject>> PodsOf(World& world,
                                         const PlacedObject& workload,
                                         const std::map<std::string, api::Object>& nodes,
                                         std::optional<size_t> replicas = {});

}  // namespace dray::planning
