// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/affinity_rules.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

AffinityTerm TermOf(const core_v1::PodAffinityTerm& said,
                    const core_v1::Pod& owner,
                    int64_t weight) {
  AffinityTerm term{.topology_key = said.topology_key,
                    .selector = KeyedSelector(said.label_selector),
                    .namespaces = {said.namespaces.begin(), said.namespaces.end()},
                    .namespace_selector = std::nullopt,
                    .weight = weight};
  if (said.namespace_selector.has_value()) {
    term.namespace_selector.emplace(said.namespace_selector);
  } else if (term.namespaces.empty()) {
    term.namespaces.push_back(owner.metadata.namespace_);
  }
  std::ranges::sort(term.namespaces);
  return term;
}

/// `side`: the pod's affinity or anti-affinity, which may be absent.
template <class Side>
void Read(const Side& side,
          const core_v1::Pod& owner,
          std::vector<AffinityTerm>& musts,
          std::vector<AffinityTerm>& preferred) {
  if (!side.has_value()) return;
  for (const auto& said : side->required_during_scheduling_ignored_during_execution) {
    musts.push_back(TermOf(said, owner, 0));
  }
  for (const auto& said : side->preferred_during_scheduling_ignored_during_execution) {
    preferred.push_back(TermOf(said.pod_affinity_term, owner, said.weight));
  }
}

}  // namespace

bool HasPodAffinity(const core_v1::Pod& pod) {
  const auto& affinity = pod.spec.affinity;
  return affinity && (affinity->pod_affinity || affinity->pod_anti_affinity);
}

AffinityRules::AffinityRules(const core_v1::Pod& pod) : uid_(pod.metadata.uid) {
  if (!pod.spec.affinity.has_value()) return;
  Read(pod.spec.affinity->pod_affinity, pod, required_, preferred_);
  Read(pod.spec.affinity->pod_anti_affinity, pod, forbidden_, disliked_);
}

Frozen<AffinityRules> AffinityRules::Of(const api::Object& pod) {
  if (!HasPodAffinity(pod.As<core_v1::Pod>())) return nullptr;
  Frozen<core_v1::Pod> kept = api::FrozenOf<core_v1::Pod>(pod);
  auto rules = std::make_shared<AffinityRules>(*kept);
  rules->kept_ = std::move(kept);
  return rules;
}

}  // namespace dray::scheduler::inline cluster
