// SPDX-License-Identifier: Apache-2.0
// Spread constraints for pods that have none themselves.
#pragma once

#include <vector>

#include "api/core_v1/pod.h"

namespace dray::scheduler::inline plugins {

struct SpreadDefaults {
  std::vector<api::core_v1::TopologySpreadConstraint> constraints;  // without selectors
  /// Nodes that lack one of the topology keys do not count.
  bool needs_all_keys = true;
};

/// Upstream's defaults: over nodes first, then over zones, both as preferences. Nodes need no zone.
inline SpreadDefaults SystemSpreadDefaults() {
  return {.constraints = {{.max_skew = 3,
                           .topology_key = "kubernetes.io/hostname",
                           .when_unsatisfiable = "ScheduleAnyway"},
                          {.max_skew = 5,
                           .topology_key = "topology.kubernetes.io/zone",
                           .when_unsatisfiable = "ScheduleAnyway"}},
          .needs_all_keys = false};
}

}  // namespace dray::scheduler::inline plugins
