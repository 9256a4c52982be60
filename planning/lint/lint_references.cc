// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_references.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/feature_gates.h"
#include "base/text/spelling.h"
#include "planning/objects/wanted_pods.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

/// Whether the pod has a node or is done, so that its references existed when they were needed.
bool IsSettled(const core::Pod& pod) {
  return !pod.spec.node_name.empty() || pod.metadata.deletion_timestamp.has_value() ||
         pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Whether the scheduler prefers `a` to `b` for a resource that both name.
bool IsBefore(const v1::DeviceClass& a, const v1::DeviceClass& b) {
  const int64_t made_a = a.metadata.creation_timestamp.unix_seconds();
  const int64_t made_b = b.metadata.creation_timestamp.unix_seconds();
  return made_a != made_b ? made_a > made_b : a.metadata.name < b.metadata.name;
}

}  // namespace

ReferenceLinter::ReferenceLinter(const LintQuestion& question, FindingList& findings)
    : question_(question),
      findings_(findings),
      templates_{.rule = LintRule::kMissingTemplate,
                 .kind = "ResourceClaimTemplate",
                 .reach = question.templates},
      claims_{.rule = LintRule::kMissingClaim, .kind = "ResourceClaim", .reach = question.claims} {
  for (const auto& [key, object] : question.cluster.templates)
    templates_.names[object.metadata().namespace_].insert(object.metadata().name);
  for (const auto& [key, placed] : question.cluster.claims) {
    const auto& metadata = placed.object.metadata();
    claims_.names[metadata.namespace_].insert(metadata.name);
  }
}

void ReferenceLinter::ClaimsOf(const api::Object& object) {
  const std::string& namespace_ = object.metadata().namespace_;
  if (const auto* pod = object.If<core::Pod>()) {
    if (!IsSettled(*pod)) PodSpec("spec", namespace_, pod->spec, pod);
    return;
  }
  const Wanted wanted = WantedOf(object);
  if (wanted.pods == nullptr) return;
  const bool is_cron = object.kind().kind == "CronJob";
  PodSpec(is_cron ? "spec.jobTemplate.spec.template.spec" : "spec.template.spec",
          namespace_,
          wanted.pods->spec,
          nullptr);
}

void ReferenceLinter::PodSpec(const std::string& field,
                              const std::string& namespace_,
                              const core::PodSpec& spec,
                              const core::Pod* pod) {
  for (size_t i = 0; i < spec.resource_claims.size(); ++i) {
    const core::PodResourceClaim& entry = spec.resource_claims[i];
    const std::string at = fmt::format("{}.resourceClaims[{}].", field, i);
    if (const std::string* const claim = api::claims::ClaimNamedBy(entry))
      Reference(at + "resourceClaimName", namespace_, *claim, claims_);
    const std::string* const made_from = api::claims::TemplateNamedBy(entry);
    if (made_from == nullptr) continue;
    using State = api::claims::Target::State;
    const bool is_made =
        pod != nullptr && api::claims::TargetOf(*pod, entry).state != State::kMissing;
    if (!is_made) Reference(at + "resourceClaimTemplateName", namespace_, *made_from, templates_);
  }
}

void ReferenceLinter::Reference(const std::string& field,
                                const std::string& namespace_,
                                const std::string& name,
                                const Referent& referent) {
  const auto known = referent.names.find(namespace_);
  std::vector<std::string> names;
  if (known != referent.names.end()) names.assign(known->second.begin(), known->second.end());
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string meant = NearestName(name, names);
  std::string advice = fmt::format("create it in namespace {}", namespace_);
  if (!meant.empty()) advice += fmt::format("; or did you mean {}?", meant);
  Finding& finding =
      findings_.Report(referent.rule,
                       field,
                       fmt::format("there is no {} {}/{}", referent.kind, namespace_, name),
                       std::move(advice));
  if (!meant.empty()) finding.fixes.push_back({name, meant});
  if (referent.reach == LintReach::kCluster) return;
  finding.severity = meant.empty() ? LintSeverity::kNote : LintSeverity::kWarning;
  finding.why += " in the files";
}

void ReferenceLinter::ExtendedName(const v1::DeviceClass& device_class) {
  const std::string name = device_class.spec.extended_resource_name.value_or("");
  if (name.empty() || !question_.gates.Has(api::Gate::kExtendedResource)) return;
  const v1::DeviceClass* first = &device_class;
  for (const auto& other : question_.cluster.classes) {
    const bool has_name = other->spec.extended_resource_name == name;
    if (has_name && other->metadata.name != device_class.metadata.name && IsBefore(*other, *first))
      first = other.get();
  }
  if (first == &device_class) return;
  findings_
      .Report(
          LintRule::kSharedExtendedName,
          "spec.extendedResourceName",
          fmt::format("class {0} has {1} too, and only the newest class of a name counts, the "
                      "first by name among equals: pods that ask for {1} get devices of {0}",
                      first->metadata.name,
                      name),
          "give each class a name of its own; before 1.38 a scheduler may keep using the old one "
          "after a change (kubernetes#141110)")
      .severity = LintSeverity::kWarning;
}

}  // namespace dray::planning::inline lint
