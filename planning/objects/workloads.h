// SPDX-License-Identifier: Apache-2.0
// The pods that workloads would create, so that they can be planned before a controller makes them.
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

/// The most pods of one workload.
inline constexpr size_t kWorkloadPodsMax = 10'000;

/// The most pods of all workloads that RunWorkloads makes.
inline constexpr size_t kAllWorkloadPodsMax = 100'000;

/// The pods that run at the same time, named NAME-0, …, as their controller makes them: a Job's
/// parallelism, those of one job of a CronJob, and for a DaemonSet one for each node that it may
/// run on, NAME-NODE. A suspended Job or CronJob has none. `replicas` replaces the workload's own
/// number, but not for a DaemonSet. `workload` must have its defaults and a namespace (AsStored).
///
/// Errors: kBadRequest  more than kWorkloadPodsMax.
Result<std::vector<PlacedObject>> PodsOf(World& world,
                                         const PlacedObject& workload,
                                         const std::map<std::string, api::Object>& nodes,
                                         std::optional<size_t> replicas = {});

/// An object without a decision, and the reason.
struct LeftOut {
  std::string what;         // "pod default/a", "Deployment default/web"
  std::string why;          // "is suspended"
  bool is_settled = false;  // it counts as it is: on a node, done, or with devices
};

/// Adds the pods that the workloads of `namespace_` (empty: of all) still lack, at each workload's
/// position among the pods. Pods that a workload has already, according to their owners, are
/// subtracted. A Deployment counts those of its ReplicaSets, which get no others themselves. A
/// CronJob with existing Jobs gets none of its own. A Job gets no more than its completions left.
/// Returns the workloads that are left out because their pods use no devices or there are none.
///
/// Errors: kBadRequest  more than kWorkloadPodsMax of one, or `pods_max` of all.
Result<std::vector<LeftOut>> RunWorkloads(World& world,
                                          OfflineObjects& objects,
                                          const std::string& namespace_,
                                          size_t pods_max = kAllWorkloadPodsMax);

}  // namespace dray::planning::inline objects
