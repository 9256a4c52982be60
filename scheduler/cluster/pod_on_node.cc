// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/pod_on_node.h"

#include <algorithm>

namespace dray::scheduler::inline cluster {

bool IsPreempted(const api::core_v1::PodStatus& status) {
  return std::ranges::any_of(status.conditions, [](const api::core_v1::PodCondition& condition) {
    return condition.type == kDisruptionTarget && condition.status == "True" &&
           condition.reason == kPreempted;
  });
}

}  // namespace dray::scheduler::inline cluster
