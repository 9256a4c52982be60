// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/rule_details.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/plugins/table.h"

namespace dray::planning::inline explain {
namespace {

namespace core = api::core_v1;

constexpr size_t kRulesNamedMax = 3;

/// Spells a selector: "app=web, tier In [a, b]"; "pods" if it is empty.
std::string PodsText(const auto& selector) {
  std::vector<std::string> parts;
  if (selector.has_value()) {
    for (const auto& [key, value] : selector->match_labels)
      parts.push_back(fmt::format("{}={}", key, value));
    for (const auto& one : selector->match_expressions) {
      parts.push_back(
          one.values.empty()
              ? fmt::format("{} {}", one.key, one.operator_)
              : fmt::format("{} {} [{}]", one.key, one.operator_, fmt::join(one.values, ", ")));
    }
  }
  return parts.empty() ? "pods" : fmt::format("pods with {}", fmt::join(parts, ", "));
}

std::string JoinedRules(std::vector<std::string> rules) {
  if (rules.empty()) return {};
  const size_t all = rules.size();
  rules.resize(std::min(all, kRulesNamedMax));
  std::string text = fmt::format("the pod wants {}", fmt::join(rules, "; "));
  if (all > rules.size()) text += fmt::format("; and {} more", all - rules.size());
  return text;
}

/// `no`: "no " for anti-affinity.
std::string TermsText(std::string_view no, const std::vector<core::PodAffinityTerm>& terms) {
  std::vector<std::string> rules;
  rules.reserve(terms.size());
  for (const core::PodAffinityTerm& term : terms) {
    rules.push_back(
        fmt::format("{}{} in its {}", no, PodsText(term.label_selector), term.topology_key));
  }
  return JoinedRules(std::move(rules));
}

std::string SpreadText(const core::Pod& pod) {
  std::vector<std::string> rules;
  for (const auto& one : pod.spec.topology_spread_constraints) {
    if (one.when_unsatisfiable != "DoNotSchedule") continue;
    rules.push_back(fmt::format("{} spread by {}, maxSkew {}",
                                PodsText(one.label_selector),
                                one.topology_key,
                                one.max_skew));
  }
  return JoinedRules(std::move(rules));
}

std::string PortsText(const core::Pod& pod) {
  std::vector<std::string> ports;
  for (const scheduler::HostPort& one : scheduler::HostPortsOf(pod))
    ports.push_back(fmt::format("port {}/{} of its node", one.port, one.protocol));
  return JoinedRules(std::move(ports));
}

}  // namespace

std::string RuleDetail(const core::Pod& pod, std::string_view reason) {
  const auto& affinity = pod.spec.affinity;
  if (reason == "node(s) were unschedulable") return "cordoned; kubectl uncordon opens it for pods";
  if (reason.contains("free ports")) return PortsText(pod);
  if (reason.contains("topology spread")) return SpreadText(pod);
  if (reason.contains("requested node name")) return "the pod names node " + pod.spec.node_name;
  if (!affinity.has_value()) return {};
  if (reason.contains("match pod anti-affinity") && affinity->pod_anti_affinity.has_value()) {
    return TermsText(
        "no ", affinity->pod_anti_affinity->required_during_scheduling_ignored_during_execution);
  }
  if (reason.contains("match pod affinity") && affinity->pod_affinity.has_value()) {
    return TermsText("",
                     affinity->pod_affinity->required_during_scheduling_ignored_during_execution);
  }
  return {};
}

}  // namespace dray::planning::inline explain
