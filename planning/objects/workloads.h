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
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline objects {

/// Pods of one workload at most.
inline constexpr size_t kWorkloadPodsMax = 10'000;

/// Pods of all workloads that RunWorkloads makes at most.
inline constexpr size_t kAllWorkloadPodsMax = 100'000;

/// The pods that run at the same time, named NAME-0, …, as they come from their controller: of a
/// Job its parallelism, of a CronJob those of one of its jobs, of a DaemonSet one for each node
/// that it may run on, NAME-NODE. A Job or CronJob that is suspended has none. `replicas` stands in
/// for what the workload says, but not for a DaemonSet. `workload` has its defaults and a namespace
/// (AsStored).
///
/// Errors: kBadRequest  more than kWorkloadPodsMax.
Result<std::vector<PlacedObject>> PodsOf(World& world,
                                         const PlacedObject& workload,
                                         const std::map<std::string, api::Object>& nodes,
                                         std::optional<size_t> replicas = {});

/// Something that nobody decides about, and why not.
struct LeftOut {
  std::string what;         // "pod default/a", "Deployment default/web"
  std::string why;          // "is suspended"
  bool is_settled = false;  // it counts as it is: on a node, done, with devices
};

/// Adds the pods that the workloads of `namespace_` (empty: of all) still lack, each workload's
/// where it stands among the pods. The pods that a workload has already, by their owners, are
/// counted off: of a Deployment those of its ReplicaSets, which run no others themselves; a CronJob
/// whose Jobs are there has none of its own; a Job has no more than what is left to do. Returns the
/// workloads that take no part, since their pods use no devices or there are none.
///
/// Errors: kBadRequest  more than kWorkloadPodsMax of one, or `pods_max` of all.
Result<std::vector<LeftOut>> RunWorkloads(World& world,
                                          OfflineObjects& objects,
                                          const std::string& namespace_,
                                          size_t pods_max = kAllWorkloadPodsMax);

}  // namespace dray::planning::inline objects
