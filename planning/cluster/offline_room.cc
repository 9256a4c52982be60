// SPDX-License-Identifier: Apache-2.0
// Makes room for a pod that fits nowhere, as the scheduler does: deallocates claims without users,
// and evicts less important pods.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/claims/either_claim.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "planning/cluster/offline_cluster.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/cycle/unschedulable.h"

namespace dray::planning::inline cluster {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

OfflineCluster::Decided OfflineCluster::DecideWithRoom(api::Object pod,
                                                       Claims& claims,
                                                       PodSearches& searches,
                                                       std::vector<std::string>& evicted) {
  for (;;) {
    Decided decided = Decide(pod, claims, only(), searches);
    const auto* nowhere = std::get_if<scheduler::Unschedulable>(&decided.decision);
    if (nowhere == nullptr) return decided;
    const auto useless = scheduler::ClaimToDeallocate(*nowhere, claims, pod.metadata().uid);
    if (!useless.has_value() && !nowhere->preemption.has_value()) return decided;
    if (useless.has_value()) {
      api::Object freed = claims[*useless].Clone();
      auto& status = freed.Mutable<v1::ResourceClaim>().status;
      api::claims::ClearAllocation(status);
      status.reserved_for.clear();
      cluster_.objects().claims.Put(freed);
      claims[*useless] = std::move(freed);
    }
    if (nowhere->preemption.has_value()) {
      pod = pod.Clone();
      pod.Mutable<core::Pod>().status.nominated_node_name = nowhere->preemption->name;
      const bool any_left = Evict(nowhere->preemption->victims, evicted);
      if (!any_left && !useless.has_value()) return decided;  // another try gives the same answer
    }
    searches.Forget();  // devices were freed, and more claims may need some
  }
}

bool OfflineCluster::Evict(std::span<const scheduler::PodOnNode> victims,
                           std::vector<std::string>& evicted) {
  const size_t before = evicted.size();
  for (const scheduler::PodOnNode& victim : victims) {
    const api::Object* const found = cluster_.FindPod(victim.key);
    if (found == nullptr) continue;
    evicted.push_back(victim.key);
    Leave(api::Object(*found).As<core::Pod>());
  }
  return evicted.size() > before;
}

}  // namespace dray::planning::inline cluster
