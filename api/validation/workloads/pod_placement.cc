// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/pod_placement.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/text/names.h"
#include "api/validation/name_rules.h"
#include "api/validation/value_rules.h"
#include "base/text/ascii.h"

namespace dray::api::validation::inline workloads {
namespace {

constexpr std::string_view kNotPositive = "must be greater than zero";
constexpr std::string_view kCannotBeEmpty = "can not be empty";
constexpr std::string_view kWeightRange = "must be in the range 1-100";
constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";
constexpr int32_t kWeightMax = 100;
constexpr int32_t kPortMax = 65535;
constexpr size_t kPortNameMax = 15;

constexpr std::array<std::string_view, 2> kSpreadActions = {"DoNotSchedule", "ScheduleAnyway"};
constexpr std::array<std::string_view, 2> kInclusionPolicies = {"Honor", "Ignore"};
constexpr std::array<std::string_view, 3> kProtocols = {"SCTP", "TCP", "UDP"};

using Selector = Maybe<meta_v1::LabelSelector>;

void CheckWeight(int32_t weight, const Path& path, FieldErrors& errors) {
  if (weight > 0 && weight <= kWeightMax) return;
  errors.Invalid(path, std::to_string(weight), kWeightRange);
}

template <size_t size>
void CheckOneOf(const std::array<std::string_view, size>& words,
                std::string_view word,
                const Path& path,
                FieldErrors& errors) {
  if (std::ranges::find(words, word) == words.end()) errors.NotSupported(path, word, words);
}

// --- affinity

// Keys for which other pods are to have the value of this one, or another one.
void CheckLabelKeys(const std::vector<std::string>& keys,
                    const Selector& selector,
                    const Path& path,
                    FieldErrors& errors) {
  if (keys.empty()) return;
  if (!selector.has_value()) {
    return errors.Forbidden(path, "must not be specified when labelSelector is not set");
  }
  for (size_t i = 0; i < keys.size() && !errors.is_full(); ++i) {
    CheckKeyShaped(keys[i], path.Index(i), errors);
  }
}

void CheckMatchAndMismatch(const core_v1::PodAffinityTerm& term,
                           const Path& path,
                           FieldErrors& errors) {
  const Path match = path.Child("matchLabelKeys");
  CheckLabelKeys(term.match_label_keys, term.label_selector, match, errors);
  CheckLabelKeys(
      term.mismatch_label_keys, term.label_selector, path.Child("mismatchLabelKeys"), errors);
  const std::set<std::string_view> mismatch(term.mismatch_label_keys.begin(),
                                            term.mismatch_label_keys.end());
  for (size_t i = 0; i < term.match_label_keys.size() && !errors.is_full(); ++i) {
    const std::string& key = term.match_label_keys[i];
    if (!mismatch.contains(key)) continue;
    errors.Invalid(
        match.Index(i), Shown(key), "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void CheckTerm(const core_v1::PodAffinityTerm& term, const Path& path, FieldErrors& errors) {
  CheckLabelSelector(term.label_selector, path.Child("labelSelector"), errors);
  CheckLabelSelector(term.namespace_selector, path.Child("namespaceSelector"), errors);
  const Path namespace_path = path.Child("namespace");
  for (size_t i = 0; i < term.namespaces.size() && !errors.is_full(); ++i) {
    CheckLabelShaped(term.namespaces[i], namespace_path, errors);
  }
  CheckMatchAndMismatch(term, path, errors);
  const Path key = path.Child("topologyKey");
  if (term.topology_key.empty()) errors.Required(key, kCannotBeEmpty);
  CheckKeyShaped(term.topology_key, key, errors);
}

template <class Side>  // Maybe of pod affinity or anti-affinity
void CheckSide(const Side& side, const Path& path, FieldErrors& errors) {
  if (!side.has_value()) return;
  const Path musts = path.Child("requiredDuringSchedulingIgnoredDuringExecution");
  const auto& required = side->required_during_scheduling_ignored_during_execution;
  for (size_t i = 0; i < required.size() && !errors.is_full(); ++i) {
    CheckTerm(required[i], musts.Index(i), errors);
  }
  const Path preferred_path = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  const auto& preferred = side->preferred_during_scheduling_ignored_during_execution;
  for (size_t i = 0; i < preferred.size() && !errors.is_full(); ++i) {
    const Path at = preferred_path.Index(i);
    CheckWeight(preferred[i].weight, at.Child("weight"), errors);
    CheckTerm(preferred[i].pod_affinity_term, at.Child("podAffinityTerm"), errors);
  }
}

void CheckNodeAffinity(const core_v1::NodeAffinity& affinity,
                       const Path& path,
                       FieldErrors& errors) {
  if (affinity.required_during_scheduling_ignored_during_execution.has_value()) {
    CheckNodeSelector(*affinity.required_during_scheduling_ignored_during_execution,
                      path.Child("requiredDuringSchedulingIgnoredDuringExecution"),
                      errors);
  }
  const Path preferred_path = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution;
  for (size_t i = 0; i < preferred.size() && !errors.is_full(); ++i) {
    const Path at = preferred_path.Index(i);
    CheckWeight(preferred[i].weight, at.Child("weight"), errors);
    CheckNodeSelectorTerm(preferred[i].preference, at.Child("preference"), errors);
  }
}

// --- spreading

void CheckMinDomains(const core_v1::TopologySpreadConstraint& constraint,
                     const Path& path,
                     FieldErrors& errors) {
  if (!constraint.min_domains.has_value()) return;
  const std::string shown = std::to_string(*constraint.min_domains);
  if (*constraint.min_domains <= 0) errors.Invalid(path, shown, kNotPositive);
  if (constraint.when_unsatisfiable == kSpreadActions[0]) return;
  errors.Invalid(path,
                 shown,
                 fmt::format("can only use minDomains if whenUnsatisfiable={}, not {}",
                             kSpreadActions[0],
                             constraint.when_unsatisfiable));
}

void CheckSpreadKeys(const core_v1::TopologySpreadConstraint& constraint,
                     const Path& path,
                     FieldErrors& errors) {
  CheckLabelKeys(constraint.match_label_keys, constraint.label_selector, path, errors);
  if (!constraint.label_selector.has_value() || constraint.match_label_keys.empty()) return;
  std::set<std::string_view> selected;
  for (const auto& [key, value] : constraint.label_selector->match_labels) selected.insert(key);
  for (const auto& one : constraint.label_selector->match_expressions) selected.insert(one.key);
  for (size_t i = 0; i < constraint.match_label_keys.size() && !errors.is_full(); ++i) {
    const std::string& key = constraint.match_label_keys[i];
    if (!selected.contains(key)) continue;
    errors.Invalid(path.Index(i), Shown(key), "exists in both matchLabelKeys and labelSelector");
  }
}

using Tuple = std::pair<std::string_view, std::string_view>;

// Which of the constraints have one like them behind them.
std::vector<bool> Repeated(const std::vector<core_v1::TopologySpreadConstraint>& constraints) {
  std::vector<bool> repeated(constraints.size());
  std::set<Tuple> behind;
  for (size_t i = constraints.size(); i-- > 0;) {
    repeated[i] =
        !behind.emplace(constraints[i].topology_key, constraints[i].when_unsatisfiable).second;
  }
  return repeated;
}

void CheckSpreadConstraint(const core_v1::TopologySpreadConstraint& constraint,
                           bool is_repeated,
                           const Path& path,
                           FieldErrors& errors) {
  if (constraint.max_skew <= 0) {
    errors.Invalid(path.Child("maxSkew"), std::to_string(constraint.max_skew), kNotPositive);
  }
  if (constraint.topology_key.empty()) {
    errors.Required(path.Child("topologyKey"), kCannotBeEmpty);
  }
  CheckOneOf(
      kSpreadActions, constraint.when_unsatisfiable, path.Child("whenUnsatisfiable"), errors);
  if (is_repeated) {
    errors.Duplicate(
        path.Child("{topologyKey, whenUnsatisfiable}"),
        Shown(fmt::format("{{{}, {}}}", constraint.topology_key, constraint.when_unsatisfiable)));
  }
  CheckMinDomains(constraint, path.Child("minDomains"), errors);
  if (constraint.node_affinity_policy.has_value()) {
    CheckOneOf(kInclusionPolicies,
               *constraint.node_affinity_policy,
               path.Child("nodeAffinityPolicy"),
               errors);
  }
  if (constraint.node_taints_policy.has_value()) {
    CheckOneOf(
        kInclusionPolicies, *constraint.node_taints_policy, path.Child("nodeTaintsPolicy"), errors);
  }
  CheckSpreadKeys(constraint, path.Child("matchLabelKeys"), errors);
  CheckLabelSelector(constraint.label_selector, path.Child("labelSelector"), errors);
}

// --- ports

// Names of services: lower case (RFC 6335).
std::vector<std::string> WrongInPortName(std::string_view name, const FieldErrors& errors) {
  std::vector<std::string> wrong;
  if (name.size() > kPortNameMax) {
    wrong.push_back(
        fmt::format("must be no more than {} {}",
                    kPortNameMax,
                    errors.label_length_word() == LengthWord::kBytes ? "bytes" : "characters"));
  }
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_plain = std::ranges::all_of(
      name, [&](char c) { return is_letter(c) || IsDigitAscii(c) || c == '-'; });
  if (!is_plain || name.empty()) {
    wrong.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(name, is_letter)) {
    wrong.emplace_back("must contain at least one letter (a-z)");
  }
  if (name.contains("--")) wrong.emplace_back("must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-')) {
    wrong.emplace_back("must not begin or end with a hyphen");
  }
  return wrong;
}

void CheckPortNumber(int32_t port, const Path& path, FieldErrors& errors) {
  if (port < 1 || port > kPortMax) errors.Invalid(path, std::to_string(port), kPortRange);
}

// `taken`: ports of containers that run at the same time.
void CheckHostPortsOf(const core_v1::Container& container,
                      std::set<std::string>& taken,
                      const Path& path,
                      FieldErrors& errors) {
  const Path ports = path.Child("ports");
  for (size_t i = 0; i < container.ports.size() && !errors.is_full(); ++i) {
    const core_v1::ContainerPort& port = container.ports[i];
    if (port.host_port == 0) continue;
    std::string place = fmt::format("{}/{}/{}", port.protocol, port.host_ip, port.host_port);
    const Path at = ports.Index(i);
    const std::string shown = Shown(place);
    if (!taken.insert(std::move(place)).second) errors.Duplicate(at.Child("hostPort"), shown);
  }
}

}  // namespace

void CheckAffinity(const core_v1::Affinity& affinity, const Path& path, FieldErrors& errors) {
  if (affinity.node_affinity.has_value()) {
    CheckNodeAffinity(*affinity.node_affinity, path.Child("nodeAffinity"), errors);
  }
  CheckSide(affinity.pod_affinity, path.Child("podAffinity"), errors);
  CheckSide(affinity.pod_anti_affinity, path.Child("podAntiAffinity"), errors);
}

void CheckSpreadConstraints(const std::vector<core_v1::TopologySpreadConstraint>& constraints,
                            const Path& path,
                            FieldErrors& errors) {
  const std::vector<bool> repeated = Repeated(constraints);
  for (size_t i = 0; i < constraints.size() && !errors.is_full(); ++i) {
    CheckSpreadConstraint(constraints[i], repeated[i], path.Index(i), errors);
  }
}

void CheckSchedulingGates(const std::vector<core_v1::PodSchedulingGate>& gates,
                          const Path& path,
                          FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < gates.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    CheckKeyShaped(gates[i].name, at, errors);
    if (!seen.insert(gates[i].name).second) errors.Duplicate(at, Shown(gates[i].name));
  }
}

void CheckContainerPorts(const std::vector<core_v1::ContainerPort>& ports,
                         const Path& path,
                         FieldErrors& errors) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.size() && !errors.is_full(); ++i) {
    const core_v1::ContainerPort& port = ports[i];
    const Path at = path.Index(i);
    if (!port.name.empty()) {
      const std::vector<std::string> wrong = WrongInPortName(port.name, errors);
      const Path name = at.Child("name");
      for (const std::string& one : wrong) errors.Invalid(name, Shown(port.name), one);
      if (wrong.empty() && !names.insert(port.name).second) {
        errors.Duplicate(name, Shown(port.name));
      }
    }
    const Path number = at.Child("containerPort");
    if (port.container_port == 0) {
      errors.Required(number);
    } else {
      CheckPortNumber(port.container_port, number, errors);
    }
    if (port.host_port != 0) CheckPortNumber(port.host_port, at.Child("hostPort"), errors);
    const Path protocol = at.Child("protocol");
    if (port.protocol.empty()) {
      errors.Required(protocol);
    } else {
      CheckOneOf(kProtocols, port.protocol, protocol, errors);
    }
  }
}

void CheckHostPorts(const std::vector<core_v1::Container>& containers,
                    const Path& path,
                    FieldErrors& errors) {
  std::set<std::string> taken;
  for (size_t i = 0; i < containers.size() && !errors.is_full(); ++i) {
    CheckHostPortsOf(containers[i], taken, path.Index(i), errors);
  }
}

void CheckHostPortsOfEach(const std::vector<core_v1::Container>& containers,
                          const Path& path,
                          FieldErrors& errors) {
  // Upstream checks each as a list of one, so its errors always name the first.
  const Path first = path.Index(0);
  for (const core_v1::Container& container : containers) {
    std::set<std::string> taken;
    CheckHostPortsOf(container, taken, first, errors);
  }
}

}  // namespace dray::api::validation::inline workloads
