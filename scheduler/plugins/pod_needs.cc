// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/pod_needs.h"

#include <algorithm>

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

/// Each part of the pod's spec is looked up among the labels, taints, ports or amounts of the node.
uint64_t WorkPerNode(const PodNeeds& needs) {
  constexpr uint64_t kPerPart = 16;
  const core_v1::PodSpec& spec = needs.pod->spec;
  uint64_t parts = 8 + spec.node_selector.size() + spec.tolerations.size() + needs.requests.size() +
                   needs.ports.size();
  if (spec.affinity && spec.affinity->node_affinity) {
    const core_v1::NodeAffinity& said = *spec.affinity->node_affinity;
    const auto count = [&](const core_v1::NodeSelectorTerm& term) {
      for (const auto* requirements : {&term.match_expressions, &term.match_fields}) {
        for (const auto& one : *requirements) parts += 1 + one.values.size() / 4;
      }
    };
    if (said.required_during_scheduling_ignored_during_execution) {
      std::ranges::for_each(
          said.required_during_scheduling_ignored_during_execution->node_selector_terms, count);
    }
    for (const auto& wish : said.preferred_during_scheduling_ignored_during_execution) {
      count(wish.preference);
    }
  }
  return kPerPart * parts;
}

}  // namespace

PodNeeds NeedsOf(const core_v1::Pod& pod) {
  PodNeeds needs;
  needs.pod = &pod;
  needs.node_name = pod.spec.node_name;
  needs.node_selector = pod.spec.node_selector;
  needs.tolerations = pod.spec.tolerations;
  needs.requests = RequestsOf(pod);
  needs.presumed = PresumedOf(pod);
  needs.ports = HostPortsOf(pod);
  const auto& affinity = pod.spec.affinity;
  if (affinity && affinity->node_affinity &&
      affinity->node_affinity->required_during_scheduling_ignored_during_execution) {
    const core_v1::NodeSelector& required =
        *affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    needs.affinity = {.written = required,
                      .parsed = api::NodeSelector::ParseLazily(api::NodeTerms(required))};
  }
  needs.work_per_node = WorkPerNode(needs);
  return needs;
}

std::set<std::string, std::less<>> ServedByDevices(const NodeNeeds& needs, const NodeState& state) {
  std::set<std::string, std::less<>> served;
  for (const std::string& resource : needs.of_classes) {
    const auto own = state.allocatable.find(resource);
    if (own == state.allocatable.end() || own->second == 0) served.insert(resource);
  }
  return served;
}

}  // namespace dray::scheduler::inline plugins
