// SPDX-License-Identifier: Apache-2.0
#include "api/core_v1/pod.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/pods/life.h"
#include "api/text/cut.h"
#include "api/validation/cause_limits.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"
#include "api/validation/workloads/core.h"
#include "api/validation/workloads/pod_placement.h"
#include "api/validation/workloads/pod_spec.h"

namespace dray::api::validation::inline workloads {
namespace {

using Names = std::set<std::string_view>;

constexpr std::array<std::string_view, 3> kRestartPolicies = {"Always", "OnFailure", "Never"};
constexpr std::array<std::string_view, 4> kDnsPolicies = {
    "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"};

constexpr std::array<std::string_view, 2> kPreemptionPolicies = {"PreemptLowerPriority", "Never"};

constexpr std::array<std::string_view, 4> kPodTolerationOperators = {"Equal", "Exists", "Lt", "Gt"};
constexpr std::array<std::string_view, 3> kToleratedEffects = {
    "NoSchedule", "PreferNoSchedule", "NoExecute"};

template <class Words>
void CheckWord(const Words& words, std::string_view word, const Path& path, FieldErrors& errors) {
  if (word.empty()) {
    errors.Required(path);
  } else if (std::ranges::find(words, word) == words.end()) {
    errors.NotSupported(path, word, words);
  }
}

// A claim as upstream prints it since 1.31: as Go up to 1.32, and then as JSON.
std::string ShownClaim(const core_v1::PodResourceClaim& claim, const FieldErrors& errors) {
  if (!errors.Since(33))
    return GoSource(TypeOf<core_v1::PodResourceClaim>(), &claim, errors.release());
  const auto shown = [](const std::optional<std::string>& name) {
    return name.has_value() ? Shown(*name) : "null";
  };
  return fmt::format(R"({{"Name":{},"ResourceClaimName":{},"ResourceClaimTemplateName":{}}})",
                     Shown(claim.name),
                     shown(claim.resource_claim_name),
                     shown(claim.resource_claim_template_name));
}

// Where a claim comes from: exactly one of the two.
void CheckClaimSource(const std::optional<std::string>& claim_name,
                      const std::optional<std::string>& template_name,
                      const std::string& shown,
                      const Path& path,
                      FieldErrors& errors) {
  if (claim_name.has_value() && template_name.has_value()) {
    errors.Invalid(path,
                   shown,
                   "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                   "specified");
  }
  if (!claim_name.has_value() && !template_name.has_value()) {
    errors.Invalid(
        path, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  if (claim_name.has_value()) {
    CheckSubdomainShaped(*claim_name, path.Child("resourceClaimName"), errors);
  }
  if (template_name.has_value()) {
    CheckSubdomainShaped(*template_name, path.Child("resourceClaimTemplateName"), errors);
  }
}

void CheckPodClaim(const core_v1::PodResourceClaim& claim,
                   Names& names,
                   const Path& path,
                   FieldErrors& errors) {
  const Path name = path.Child("name");
  if (claim.name.empty()) {
    errors.Required(name);
  } else if (names.contains(claim.name)) {
    errors.Duplicate(name, Shown(claim.name));
  } else {
    CheckLabelShaped(claim.name, name, errors);
    names.insert(claim.name);
  }
  if (errors.Since(31)) {
    CheckClaimSource(claim.resource_claim_name,
                     claim.resource_claim_template_name,
                     ShownClaim(claim, errors),
                     path,
                     errors);
    return;
  }
  const core_v1::ClaimSource source = claim.source.value_or(core_v1::ClaimSource());
  CheckClaimSource(source.resource_claim_name,
                   source.resource_claim_template_name,
                   GoSource(TypeOf<core_v1::ClaimSource>(), &source, errors.release()),
                   path.Child("source"),
                   errors);
}

// A whole claim and one of its requests overlap.
void CheckOverlap(const core_v1::ResourceClaim& claim,
                  std::set<std::string>& seen,
                  const Path& path,
                  FieldErrors& errors) {
  if (seen.contains(claim.name)) {
    errors.Duplicate(path, Shown(claim.name));
    return;
  }
  if (claim.request.empty()) {
    const std::string start = claim.name + "/";
    for (auto one = seen.lower_bound(start);
         one != seen.end() && one->starts_with(start) && !errors.is_full();
         ++one) {
      errors.Duplicate(path, Shown(claim.name));
    }
    seen.insert(claim.name);
    return;
  }
  CheckLabelShaped(claim.request, path.Child("request"), errors);
  const std::string key = fmt::format("{}/{}", claim.name, claim.request);
  if (!seen.insert(key).second) errors.Duplicate(path, Shown(key));
}

std::string MustBeOneOf(const Names& pod_claims) {
  std::string text = "must be one of the names in pod.spec.resourceClaims";
  if (pod_claims.empty()) return text + " which is empty";
  std::string_view before = ": ";
  for (const std::string_view name : pod_claims) {
    if (text.size() > kCauseTextMax) break;
    text.append(std::exchange(before, ", ")).append(Cut(name, kCauseTextMax));
  }
  return text;
}

// The claims a container uses are claims of its pod, each request once.
void CheckContainerClaims(const std::vector<core_v1::ResourceClaim>& claims,
                          const Names& pod_claims,
                          const Path& path,
                          FieldErrors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < claims.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    const core_v1::ResourceClaim& claim = claims[i];
    if (claim.name.empty()) {
      errors.Required(at);
      continue;
    }
    CheckOverlap(claim, seen, at, errors);
    if (pod_claims.contains(claim.name)) continue;
    errors.NotFound(at, Shown(claim.name), MustBeOneOf(pod_claims));
  }
}

void CheckRequests(const core_v1::ResourceRequirements& resources,
                   const Path& path,
                   FieldErrors& errors) {
  for (const auto& [name, request] : resources.requests) {
    const auto limit = resources.limits.find(name);
    if (limit == resources.limits.end() || request <= limit->second) continue;
    errors.Invalid(
        path.Child("requests"),
        Shown(request.ToString()),
        fmt::format(
            "must be less than or equal to {} limit of {}", name, limit->second.ToString()));
  }
}

void CheckContainers(const std::vector<core_v1::Container>& containers,
                     const Names& pod_claims,
                     Names& names,
                     const Path& path,
                     FieldErrors& errors) {
  for (size_t i = 0; i < containers.size(); ++i) {
    const core_v1::Container& container = containers[i];
    const Path at = path.Index(i);
    const Path name = at.Child("name");
    const Path resources = at.Child("resources");
    if (container.name.empty()) {
      errors.Required(name);
    } else {
      CheckLabelShaped(container.name, name, errors);
    }
    if (container.image.empty()) errors.Required(at.Child("image"));
    CheckContainerPorts(container.ports, at.Child("ports"), errors);
    CheckRequests(container.resources, resources, errors);
    CheckContainerClaims(container.resources.claims, pod_claims, resources.Child("claims"), errors);
    if (!container.name.empty() && !names.insert(container.name).second) {
      errors.Duplicate(name, Shown(container.name));
    }
  }
}

// Comparing tolerations (Lt, Gt) need a gate outside of DRA, which is off; 1.35 names them anyway.
void CheckToleration(const core_v1::Toleration& toleration, const Path& path, FieldErrors& errors) {
  const Path op = path.Child("operator");
  const Path effect = path.Child("effect");
  if (!toleration.key.empty()) {
    CheckKeyShaped(toleration.key, path.Child("key"), errors);
  } else if (toleration.operator_ != "Exists") {
    errors.Invalid(
        op,
        Shown(toleration.operator_),
        "operator must be Exists when `key` is empty, which means \"match all values and "
        "all keys\"");
  }
  if (toleration.toleration_seconds.has_value() && toleration.effect != "NoExecute") {
    errors.Invalid(effect,
                   Shown(toleration.effect),
                   "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (toleration.operator_ == "Exists") {
    if (!toleration.value.empty()) {
      errors.Invalid(
          op, ShownStruct(toleration), "value must be empty when `operator` is 'Exists'");
    }
  } else if (toleration.operator_.empty() || toleration.operator_ == "Equal") {
    CheckLabelValueShaped(toleration.value, op, errors);
  } else {
    const std::span<const std::string_view> known = kPodTolerationOperators;
    errors.NotSupported(op, toleration.operator_, errors.Since(35) ? known : known.first(2));
  }
  if (!toleration.effect.empty()) CheckWord(kToleratedEffects, toleration.effect, effect, errors);
}

// A volume comes from one place.
void CheckVolume(const core_v1::VolumeSource& source, const Path& path, FieldErrors& errors) {
  const Type& type = TypeOf<core_v1::VolumeSource>();
  const uint64_t filled = type.filled(&source);
  bool has_one = false;
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if ((filled >> i & 1) == 0) continue;
    if (has_one) {
      errors.Forbidden(path.Child(type.fields[i].name), "may not specify more than 1 volume type");
    }
    has_one = true;
  }
}

void CheckGates(const core_v1::PodSpec& spec,
                const core_v1::PodSpec& old,
                const Path& path,
                FieldErrors& errors) {
  std::set<std::string_view> known;
  for (const core_v1::PodSchedulingGate& gate : old.scheduling_gates) known.insert(gate.name);
  for (size_t i = 0; i < spec.scheduling_gates.size() && !errors.is_full(); ++i) {
    const core_v1::PodSchedulingGate& gate = spec.scheduling_gates[i];
    if (known.contains(gate.name)) continue;
    const Path at = path.Index(i);
    errors.Forbidden(
        at.Child("name"),
        fmt::format("only deletion is allowed, but found new scheduling gate '{}'", gate.name));
  }
}

bool HasAll(const std::vector<core_v1::Toleration>& tolerations,
            const std::vector<core_v1::Toleration>& wanted) {
  const auto what = [](const core_v1::Toleration& toleration) {
    return std::tie(toleration.key, toleration.operator_, toleration.value, toleration.effect);
  };
  std::set<decltype(what(tolerations.front()))> there;
  for (const core_v1::Toleration& toleration : tolerations) there.insert(what(toleration));
  return std::ranges::all_of(
      wanted, [&](const core_v1::Toleration& one) { return there.contains(what(one)); });
}

void CopyImages(const std::vector<core_v1::Container>& from, std::vector<core_v1::Container>& to) {
  for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) to[i].image = from[i].image;
}

// A token needs an account. Patterns of pods may still leave out whose.
void CheckTokens(const core_v1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  if (!spec.service_account_name.empty()) return;
  const Path volumes = path.Child("volumes");
  for (size_t i = 0; i < spec.volumes.size(); ++i) {
    const auto& projected = spec.volumes[i].volume_source.projected;
    if (!projected.has_value()) continue;
    const Path volume = volumes.Index(i);
    const Path sources = volume.Child("projected.sources");
    for (size_t k = 0; k < projected->sources.size() && !errors.is_full(); ++k) {
      if (!projected->sources[k].service_account_token.has_value()) continue;
      const Path source = sources.Index(k);
      errors.Forbidden(source.Child("serviceAccountToken"),
                       "must not be specified when serviceAccountName is not set");
    }
  }
}

// `spec` with everything that may change taken from `old`.
core_v1::PodSpec WithoutChangeable(core_v1::PodSpec spec, const core_v1::PodSpec& old) {
  CopyImages(old.containers, spec.containers);
  CopyImages(old.init_containers, spec.init_containers);
  spec.active_deadline_seconds = old.active_deadline_seconds;
  if (HasAll(spec.tolerations, old.tolerations)) spec.tolerations = old.tolerations;
  if (old.termination_grace_period_seconds.value_or(0) < 0 &&
      spec.termination_grace_period_seconds == 1) {
    spec.termination_grace_period_seconds = old.termination_grace_period_seconds;
  }
  if (!old.scheduling_gates.empty()) {
    // The pod has no node yet, so its node selection can still be narrowed.
    if (std::ranges::includes(spec.node_selector, old.node_selector)) {
      spec.node_selector = old.node_selector;
    }
    if (!old.affinity.has_value() || !old.affinity->node_affinity.has_value()) {
      if (spec.affinity.has_value()) spec.affinity->node_affinity.reset();
      if (!old.affinity.has_value() && spec.affinity == core_v1::Affinity()) spec.affinity.reset();
    }
  }
  spec.scheduling_gates = old.scheduling_gates;
  return spec;
}

}  // namespace

void CheckPodSpec(const core_v1::PodSpec& spec,
                  const Path& path,
                  FieldErrors& errors,
                  IsMirror is_mirror) {
  const Path volumes = path.Child("volumes");
  for (size_t i = 0; i < spec.volumes.size() && !errors.is_full(); ++i) {
    const Path at = volumes.Index(i);
    CheckVolume(spec.volumes[i].volume_source, at, errors);
  }
  Names claims;
  const Path claim_list = path.Child("resourceClaims");
  for (size_t i = 0; i < spec.resource_claims.size() && !errors.is_full(); ++i) {
    if (is_mirror == IsMirror::kYes) {
      errors.Forbidden(Path("[]"), "static pods do not support resource claims");
      claims.insert(spec.resource_claims[i].name);
    } else {
      CheckPodClaim(spec.resource_claims[i], claims, claim_list.Index(i), errors);
    }
  }
  const Path containers = path.Child("containers");
  Names names;
  if (spec.containers.empty()) {
    errors.Required(containers);
  } else {
    CheckContainers(spec.containers, claims, names, containers, errors);
    CheckHostPorts(spec.containers, containers, errors);
  }
  const Path init_containers = path.Child("initContainers");
  CheckContainers(spec.init_containers, claims, names, init_containers, errors);
  CheckHostPortsOfEach(spec.init_containers, init_containers, errors);
  CheckWord(kRestartPolicies, spec.restart_policy, path.Child("restartPolicy"), errors);
  CheckWord(kDnsPolicies, spec.dns_policy, path.Child("dnsPolicy"), errors);
  CheckLabels(spec.node_selector, path.Child("nodeSelector"), errors);
  if (spec.affinity.has_value()) CheckAffinity(*spec.affinity, path.Child("affinity"), errors);
  CheckSchedulingGates(spec.scheduling_gates, path.Child("schedulingGates"), errors);
  CheckSpreadConstraints(
      spec.topology_spread_constraints, path.Child("topologySpreadConstraints"), errors);
  if (!spec.node_name.empty()) {
    CheckSubdomainShaped(spec.node_name, path.Child("nodeName"), errors);
  }
  const Path tolerations = path.Child("tolerations");
  for (size_t i = 0; i < spec.tolerations.size() && !errors.is_full(); ++i) {
    CheckToleration(spec.tolerations[i], tolerations.Index(i), errors);
  }
  if (!spec.priority_class_name.empty()) {
    CheckSubdomainShaped(spec.priority_class_name, path.Child("priorityClassName"), errors);
  }
  if (spec.preemption_policy.has_value()) {
    CheckWord(kPreemptionPolicies, *spec.preemption_policy, path.Child("preemptionPolicy"), errors);
  }
}

namespace {

void CheckSpecOf(const core_v1::Pod& pod, FieldErrors& errors) {
  const Path spec("spec");
  CheckPodSpec(
      pod.spec, spec, errors, pods::IsMirror(pod.metadata) ? IsMirror::kYes : IsMirror::kNo);
  CheckTokens(pod.spec, spec, errors);
}

}  // namespace

std::vector<ErrorCause> ValidatePod(const core_v1::Pod& pod, const Profile& profile) {
  FieldErrors errors(profile.release);
  CheckSpecOf(pod, errors);
  if (!pod.spec.node_name.empty() && !pod.spec.scheduling_gates.empty()) {
    errors.Forbidden(Path("spec.nodeName"),
                     "cannot be set until all schedulingGates have been cleared");
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidatePodUpdate(const core_v1::Pod& pod,
                                          const core_v1::Pod& old,
                                          const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path spec("spec");
  CheckSpecOf(pod, errors);
  CheckGates(pod.spec, old.spec, spec.Child("schedulingGates"), errors);
  if (WithoutChangeable(pod.spec, old.spec) != old.spec) {
    errors.Forbidden(
        spec,
        "pod updates may not change fields other than "
        "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
        "`spec.tolerations` (only additions to existing "
        "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
        "previously negative)");
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline workloads
