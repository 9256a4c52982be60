// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/dynamic_resources.h"

#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {

/// Requires devices for the pod's claims, and prefers nodes with better alternatives of prioritized
/// lists.
extern const Plugin kDynamicResources{.name = "DynamicResources",
                                      .weight = 2,
                                      .elsewhere = {{{Point::kPreEnqueue, "cycle/pod_claims.h"},
                                                     {Point::kPreFilter, "cycle/claim_set.h"},
                                                     {Point::kFilter, "cycle/cycle.h"},
                                                     {Point::kPostFilter, "evictor.h"},
                                                     {Point::kScore, "cycle/cycle.h"},
                                                     {Point::kReserve, "bind/binder.h"},
                                                     {Point::kPreBind, "bind/bind.h"}}}};

void AddDeviceScores(std::span<const int64_t> scores, std::vector<int64_t>& sums) {
  std::vector<int64_t> normal(scores.begin(), scores.end());
  Normalise(normal, Better::kMore);
  AddWeighted(normal, kDynamicResources.weight, sums);
}

}  // namespace dray::scheduler::inline plugins
