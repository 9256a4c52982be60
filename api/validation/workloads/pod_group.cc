// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/pod_group.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/text/names.h"
#include "api/validation/field_error.h"
#include "api/validation/go_value.h"
#include "api/validation/unions.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline workloads {
namespace {

namespace v1beta1 = scheduling_v1beta1;
using v1beta1::PodGroup;
using v1beta1::PodGroupTemplate;
using v1beta1::Workload;

// --------------------------------------------------------------------------------- what may change

std::string ShownValue(const std::string& text, Release) {
  return Shown(text);
}
std::string ShownValue(int32_t number, Release) {
  return std::to_string(number);
}
template <class T>
std::string ShownValue(const T& value, Release release) {
  return ShownAsGo(value, release);
}

struct Comparison {
  Release release;
  FieldErrors& errors;

  template <class T>
  void Same(const T& value, const T& old, const Path& path) const {
    if (!(value == old)) errors.Invalid(path, ShownValue(value, release), kImmutable);
  }
  template <class T>
    requires requires(const T& value) { value.has_value(); }
  void Same(const T& value, const T& old, const Path& path) const {
    if (value == old) return;
    errors.Invalid(path, value.has_value() ? ShownValue(*value, release) : "null", kImmutable);
  }
  template <class T>
  void Same(const std::vector<T>& value, const std::vector<T>& old, const Path& path) const {
    if (!(value == old)) errors.Invalid(path, fmt::format("{} items", value.size()), kImmutable);
  }
  void CanBeChanged(const v1beta1::PodGroupSchedulingPolicy& value,
                    const v1beta1::PodGroupSchedulingPolicy& old,
                    const Path& path) const {
    Same(value.basic, old.basic, path.Child("basic"));
    const Path gang = path.Child("gang");
    if (value.gang.has_value() && !old.gang.has_value()) {
      errors.Invalid(gang, ShownValue(*value.gang, release), "field cannot be set once created");
    }
    if (!value.gang.has_value() && old.gang.has_value()) {
      errors.Invalid(gang, "null", "field cannot be cleared once set");
    }
  }
};

// The members that groups and their templates share.
template <class T>
void CompareGroups(const T& now, const T& old, const Path& path, const Comparison& compare) {
  compare.CanBeChanged(
      now.scheduling_policy, old.scheduling_policy, path.Child("schedulingPolicy"));
  compare.Same(
      now.scheduling_constraints, old.scheduling_constraints, path.Child("schedulingConstraints"));
  compare.Same(now.resource_claims, old.resource_claims, path.Child("resourceClaims"));
  compare.Same(now.disruption_mode, old.disruption_mode, path.Child("disruptionMode"));
  compare.Same(now.priority_class_name, old.priority_class_name, path.Child("priorityClassName"));
  compare.Same(now.priority, old.priority, path.Child("priority"));
  compare.Same(now.preemption_policy, old.preemption_policy, path.Child("preemptionPolicy"));
}

// ------------------------------------------------------------------------------------ what is
// there

void CheckLabelName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path);
  CheckLabelShaped(name, path, errors);
}

void CheckSubdomain(std::string_view name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path);
  CheckSubdomainShaped(name, path, errors);
}

void CheckPolicy(const v1beta1::PodGroupSchedulingPolicy& policy,
                 const Path& path,
                 FieldErrors& errors) {
  UnionMembers members;
  if (policy.basic.has_value()) members.emplace_back("basic");
  if (policy.gang.has_value()) members.emplace_back("gang");
  CheckUnion(members, "`basic`, `gang`", path, errors);
  if (!policy.gang.has_value()) return;
  const Path gang = path.Child("gang");
  const Path count = gang.Child("minCount");
  if (policy.gang->min_count == 0) return errors.Required(count);
  if (policy.gang->min_count < 1) {
    errors.Invalid(
        count, std::to_string(policy.gang->min_count), "must be greater than or equal to 1");
  }
}

void CheckClaims(const std::vector<v1beta1::PodGroupResourceClaim>& claims,
                 const Path& path,
                 FieldErrors& errors) {
  if (!IsWithin(claims.size(), kGroupClaimsMax, path, errors)) return;
  std::set<std::string_view> names;
  for (size_t i = 0; i < claims.size(); ++i) {
    const v1beta1::PodGroupResourceClaim& claim = claims[i];
    const Path at = path.Index(i);
    if (!names.insert(claim.name).second) errors.Duplicate(at, ShownAsGo(claim, Release::kNewest));
    CheckLabelName(claim.name, at.Child("name"), errors);
    UnionMembers members;
    if (claim.resource_claim_name.has_value()) {
      members.emplace_back("resourceClaimName");
      CheckSubdomainShaped(*claim.resource_claim_name, at.Child("resourceClaimName"), errors);
    }
    if (claim.resource_claim_template_name.has_value()) {
      members.emplace_back("resourceClaimTemplateName");
      CheckSubdomainShaped(
          *claim.resource_claim_template_name, at.Child("resourceClaimTemplateName"), errors);
    }
    CheckUnion(members, "`resourceClaimName`, `resourceClaimTemplateName`", at, errors);
  }
}

// The members that groups and their templates share.
template <class T>
void CheckGroup(const T& group, const Path& path, FieldErrors& errors) {
  CheckPolicy(group.scheduling_policy, path.Child("schedulingPolicy"), errors);
  CheckClaims(group.resource_claims, path.Child("resourceClaims"), errors);
  if (group.disruption_mode.has_value()) {
    UnionMembers members;
    if (group.disruption_mode->single.has_value()) members.emplace_back("single");
    if (group.disruption_mode->all.has_value()) members.emplace_back("all");
    CheckUnion(members, "`single`, `all`", path.Child("disruptionMode"), errors);
  }
  if (!group.priority_class_name.empty()) {
    CheckSubdomainShaped(group.priority_class_name, path.Child("priorityClassName"), errors);
  }
  if (group.priority.value_or(0) > kGroupPriorityMax) {
    errors.Invalid(path.Child("priority"),
                   std::to_string(*group.priority),
                   fmt::format("must be less than or equal to {}", kGroupPriorityMax));
  }
}

void CompareTemplates(const Workload& workload,
                      const Workload& old,
                      const Path& path,
                      const Comparison& compare) {
  const auto find = [](const Workload& in, std::string_view name) {
    return std::ranges::find(in.spec.pod_group_templates, name, &PodGroupTemplate::name);
  };
  const auto& templates = workload.spec.pod_group_templates;
  for (size_t i = 0; i < templates.size(); ++i) {
    const auto before = find(old, templates[i].name);
    if (before == old.spec.pod_group_templates.end()) {
      compare.errors.Invalid(path.Index(i),
                             ShownAsGo(templates[i], compare.release),
                             "item may not be added to the list");
    } else {
      CompareGroups(templates[i], *before, path.Index(i), compare);
    }
  }
  for (const PodGroupTemplate& one : old.spec.pod_group_templates) {
    if (find(workload, one.name) != templates.end()) continue;
    compare.errors.Invalid(
        path, ShownAsGo(one, compare.release), "item may not be removed from the list");
  }
}

// A workload has one priority.
bool HaveOnePriority(const std::vector<PodGroupTemplate>& templates) {
  return std::ranges::all_of(templates, [&](const PodGroupTemplate& one) {
    return one.priority_class_name == templates[0].priority_class_name &&
           one.priority == templates[0].priority;
  });
}

}  // namespace

std::vector<ErrorCause> ValidatePodGroup(const PodGroup& group,
                                         const PodGroup* old,
                                         const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path spec("spec");
  if (old != nullptr) {
    const Comparison compare{.release = profile.release, .errors = errors};
    compare.Same(group.spec.workload_ref, old->spec.workload_ref, spec.Child("workloadRef"));
    CompareGroups(group.spec, old->spec, spec, compare);
  }
  if (const auto& workload = group.spec.workload_ref) {
    const Path at = spec.Child("workloadRef");
    CheckSubdomain(workload->workload_name, at.Child("workloadName"), errors);
    CheckLabelName(workload->template_name, at.Child("templateName"), errors);
  }
  CheckGroup(group.spec, spec, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidatePodGroupStatus(const PodGroup& group, const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path status("status");
  CheckConditions(group.status.conditions, status.Child("conditions"), errors);
  const Path claims = status.Child("resourceClaimStatuses");
  const auto& statuses = group.status.resource_claim_statuses;
  if (!IsWithin(statuses.size(), kGroupClaimsMax, claims, errors)) return std::move(errors).Take();
  for (size_t i = 0; i < statuses.size(); ++i) {
    const bool is_known =
        std::ranges::find(
            group.spec.resource_claims, statuses[i].name, &v1beta1::PodGroupResourceClaim::name) !=
        group.spec.resource_claims.end();
    if (is_known) continue;
    const Path at = claims.Index(i);
    errors.Invalid(at.Child("name"),
                   Shown(statuses[i].name),
                   "must match the name of an entry in `spec.resourceClaims`");
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateWorkload(const Workload& workload,
                                         const Workload* old,
                                         const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path spec("spec");
  const Path path = spec.Child("podGroupTemplates");
  const auto& templates = workload.spec.pod_group_templates;
  if (old != nullptr) {
    const Comparison compare{.release = profile.release, .errors = errors};
    compare.Same(
        workload.spec.controller_ref, old->spec.controller_ref, spec.Child("controllerRef"));
    CompareTemplates(workload, *old, path, compare);
  }
  if (templates.empty())
    errors.Invalid(spec, Shown(""), "must specify one of: `podGroupTemplates`");
  if (!IsWithin(templates.size(), kGroupTemplatesMax, path, errors)) {
    return std::move(errors).Take();
  }
  if (!templates.empty() && !HaveOnePriority(templates)) {
    errors.Invalid(spec, "null", "detected multiple priority configurations");
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < templates.size(); ++i) {
    const Path at = path.Index(i);
    if (!names.insert(templates[i].name).second) {
      errors.Duplicate(at, ShownAsGo(templates[i], profile.release));
    }
    CheckLabelName(templates[i].name, at.Child("name"), errors);
    CheckGroup(templates[i], at, errors);
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline workloads
