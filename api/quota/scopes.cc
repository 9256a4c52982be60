// SPDX-License-Identifier: Apache-2.0
#include "api/quota/scopes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "api/core_v1/pod.h"
#include "api/selectors/label_selector.h"

namespace dray::api::quota {
namespace {

using core_v1::Pod;

bool HasNamespaces(const core_v1::PodAffinityTerm& term) {
  return !term.namespaces.empty() || term.namespace_selector.has_value();
}

// `side`: affinity or anti-affinity, which may be absent.
template <class Side>
bool HasNamespacesIn(const Side& side) {
  if (!side) return false;
  return std::ranges::any_of(side->required_during_scheduling_ignored_during_execution,
                             HasNamespaces) ||
         std::ranges::any_of(side->preferred_during_scheduling_ignored_during_execution,
                             [](const auto& one) { return HasNamespaces(one.pod_affinity_term); });
}

bool CrossesNamespaces(const Pod& pod) {
  const auto& affinity = pod.spec.affinity;
  return affinity &&
         (HasNamespacesIn(affinity->pod_affinity) || HasNamespacesIn(affinity->pod_anti_affinity));
}

bool HasPriorityClass(const core_v1::ScopedResourceSelectorRequirement& scope, const Pod& pod) {
  const std::string& name = pod.spec.priority_class_name;
  if (scope.operator_ == "Exists") return !name.empty();
  Labels labels;
  if (!name.empty()) labels["PriorityClass"] = name;
  const std::array<LabelSelector::Expression, 1> expressions = {
      {{.key = "PriorityClass", .op = scope.operator_, .values = scope.values}}};
  const Result<LabelSelector> selector = LabelSelector::FromParts({}, expressions);
  return selector && selector->Matches(labels);
}

bool Selects(const core_v1::ScopedResourceSelectorRequirement& scope, const Pod& pod) {
  const bool ends = pod.spec.active_deadline_seconds.value_or(-1) >= 0;
  const bool is_best_effort = pod.status.qos_class == "BestEffort";
  if (scope.scope_name == "Terminating") return ends;
  if (scope.scope_name == "NotTerminating") return !ends;
  if (scope.scope_name == "BestEffort") return is_best_effort;
  if (scope.scope_name == "NotBestEffort") return !is_best_effort;
  if (scope.scope_name == "PriorityClass") return HasPriorityClass(scope, pod);
  return scope.scope_name == "CrossNamespacePodAffinity" && CrossesNamespaces(pod);
}

}  // namespace

bool IsInScope(const core_v1::ResourceQuotaSpec& quota, const Object& object) {
  const auto* pod = object.If<Pod>();
  const auto selects = [&](const core_v1::ScopedResourceSelectorRequirement& scope) {
    return pod != nullptr && Selects(scope, *pod);
  };
  const bool in_scopes = std::ranges::all_of(quota.scopes, [&](const std::string& scope) {
    return selects({.scope_name = scope, .operator_ = "Exists", .values = {}});
  });
  return in_scopes && (!quota.scope_selector ||
                       std::ranges::all_of(quota.scope_selector->match_expressions, selects));
}

}  // namespace dray::api::quota
