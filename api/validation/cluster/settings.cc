// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json_writer.h"
#include "api/text/names.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline cluster {
namespace {

constexpr std::string_view kFrozen = "field is immutable when `immutable` is set";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

bool IsKeyLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

void CheckKey(std::string_view key, const Path& path, FieldErrors& errors) {
  const Path at = path.Key(key);
  if (key.size() > kDnsSubdomainMax) {
    errors.Invalid(at, Shown(key), "must be no more than 253 characters");
  }
  if (key.empty() || !std::ranges::all_of(key, IsKeyLetter)) {
    errors.Invalid(at,
                   Shown(key),
                   "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
                   "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                   "'[-._a-zA-Z0-9]+')");
  }
  if (key == "." || key == "..") {
    errors.Invalid(at, Shown(key), key == "." ? "must not be '.'" : "must not be '..'");
  } else if (key.starts_with("..")) {
    errors.Invalid(at, Shown(key), "must not start with '..'");
  }
}

void CheckSize(size_t bytes, const Path& path, FieldErrors& errors) {
  if (bytes > kSettingsBytesMax) errors.TooLongInCore(path, kSettingsBytesMax);
}

void CheckImmutable(std::optional<bool> now, std::optional<bool> before, FieldErrors& errors) {
  if (before.value_or(false) && !now.value_or(false)) {
    errors.Forbidden(Path("immutable"), kFrozen);
  }
}

// Types of secrets that must have something in them.
struct TypeKeys {
  std::string_view type;
  std::array<std::string_view, 2> keys;  // an empty one ends the list
};
constexpr TypeKeys kTypeKeys[] = {
    {"kubernetes.io/tls", {"tls.crt", "tls.key"}},
    {"kubernetes.io/dockercfg", {".dockercfg", ""}},
    {"kubernetes.io/dockerconfigjson", {".dockerconfigjson", ""}},
    {"kubernetes.io/ssh-auth", {"ssh-privatekey", ""}},
};

void CheckSecretType(const core_v1::Secret& secret, FieldErrors& errors) {
  const Path data("data");
  for (const TypeKeys& row : kTypeKeys) {
    if (row.type != secret.type) continue;
    for (const std::string_view key : row.keys) {
      if (!key.empty() && !secret.data.contains(key)) errors.Required(data.Key(key));
    }
  }
  const bool is_basic = secret.type == "kubernetes.io/basic-auth";
  if (is_basic && !secret.data.contains("username") && !secret.data.contains("password")) {
    errors.Required(data.Key("username"));
    errors.Required(data.Key("password"));
  }
  const bool is_token = secret.type == "kubernetes.io/service-account-token";
  const Path annotations("metadata.annotations");
  constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
  if (is_token && !secret.metadata.annotations.contains(kAccount)) {
    errors.Required(annotations.Key(kAccount));
  }
}

// ------------------------------------------------------------------------------------------ roles

enum class Scope : uint8_t { kNamespace, kCluster };

void CheckRule(const rbac_v1::PolicyRule& rule,
               Scope scope,
               const Path& path,
               FieldErrors& errors) {
  if (rule.verbs.empty()) {
    errors.Required(path.Child("verbs"));
  }
  if (!rule.non_resource_urls.empty()) {
    const Path urls = path.Child("nonResourceURLs");
    const std::string shown = Shown(TypeOf<List<std::string>>(), &rule.non_resource_urls);
    if (scope == Scope::kNamespace) {
      errors.Invalid(urls, shown, "namespaced rules cannot apply to non-resource URLs");
    }
    if (!rule.api_groups.empty() || !rule.resources.empty() || !rule.resource_names.empty()) {
      errors.Invalid(
          urls, shown, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.api_groups.empty()) {
    errors.Required(path.Child("apiGroups"), "resource rules must supply at least one api group");
  }
  if (rule.resources.empty()) {
    errors.Required(path.Child("resources"), "resource rules must supply at least one resource");
  }
}

void CheckRules(const List<rbac_v1::PolicyRule>& rules, Scope scope, FieldErrors& errors) {
  const Path path("rules");
  for (size_t i = 0; i < rules.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    CheckRule(rules[i], scope, at, errors);
  }
}

void CheckAggregation(const rbac_v1::AggregationRule& rule, FieldErrors& errors) {
  const Path path("aggregationRule");
  const Path selectors = path.Child("clusterRoleSelectors");
  if (rule.cluster_role_selectors.empty()) {
    errors.Required(selectors,
                    "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (size_t i = 0; i < rule.cluster_role_selectors.size() && !errors.is_full(); ++i) {
    CheckLabelSelector(rule.cluster_role_selectors[i], selectors.Index(i), errors);
  }
}

constexpr std::array<std::string_view, 2> kRoleKinds = {"Role", "ClusterRole"};
constexpr std::array<std::string_view, 3> kSubjectKinds = {"ServiceAccount", "User", "Group"};

void CheckRoleRef(const rbac_v1::RoleRef& ref, Scope scope, FieldErrors& errors) {
  const Path path("roleRef");
  if (ref.api_group != kRbac) {
    const std::array<std::string_view, 1> groups = {kRbac};
    errors.NotSupported(path.Child("apiGroup"), ref.api_group, groups);
  }
  const size_t kinds = scope == Scope::kCluster ? 1 : 2;
  const std::span<const std::string_view> allowed = std::span(kRoleKinds).last(kinds);
  if (std::ranges::find(allowed, ref.kind) == allowed.end()) {
    errors.NotSupported(path.Child("kind"), ref.kind, allowed);
  }
  if (ref.name.empty()) errors.Required(path.Child("name"));
}

void CheckSubject(const rbac_v1::Subject& subject,
                  Scope scope,
                  const Path& path,
                  FieldErrors& errors) {
  if (subject.name.empty()) errors.Required(path.Child("name"));
  if (subject.kind == "ServiceAccount") {
    if (scope == Scope::kCluster && subject.namespace_.empty()) {
      errors.Required(path.Child("namespace"));
    }
    if (!subject.api_group.empty()) {
      const std::array<std::string_view, 1> groups = {""};
      errors.NotSupported(path.Child("apiGroup"), subject.api_group, groups);
    }
  } else if (subject.kind == "User" || subject.kind == "Group") {
    if (subject.api_group != kRbac) {
      const std::array<std::string_view, 1> groups = {kRbac};
      errors.NotSupported(path.Child("apiGroup"), subject.api_group, groups);
    }
  } else {
    errors.NotSupported(path.Child("kind"), subject.kind, kSubjectKinds);
  }
}

template <class Binding>
std::vector<ErrorCause> CheckBinding(const Binding& binding, const Binding* old, Scope scope) {
  FieldErrors errors;
  CheckRoleRef(binding.role_ref, scope, errors);
  const Path path("subjects");
  for (size_t i = 0; i < binding.subjects.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    CheckSubject(binding.subjects[i], scope, at, errors);
  }
  if (old != nullptr && binding.role_ref != old->role_ref) {
    const rbac_v1::RoleRef& ref = binding.role_ref;
    // Upstream shows its own form of it.
    errors.Invalid(
        Path("roleRef"),
        JsonText([&](JsonWriter& json) {
          json.Object({{"APIGroup", ref.api_group}, {"Kind", ref.kind}, {"Name", ref.name}});
        }),
        "field is immutable");
  }
  return std::move(errors).Take();
}

}  // namespace

std::vector<ErrorCause> ValidateConfigMap(const core_v1::ConfigMap& map,
                                          const core_v1::ConfigMap* old) {
  FieldErrors errors;
  const Path data("data");
  const Path binary("binaryData");
  size_t bytes = 0;
  for (const auto& [key, value] : map.data) {
    if (errors.is_full()) break;
    CheckKey(key, data, errors);
    if (map.binary_data.contains(key)) {
      errors.Invalid(data.Key(key), Shown(key), "duplicate of key present in binaryData");
    }
    bytes += value.size();
  }
  for (const auto& [key, value] : map.binary_data) {
    if (errors.is_full()) break;
    CheckKey(key, binary, errors);
    bytes += value.bytes.size();
  }
  CheckSize(bytes, Path("[]"), errors);
  if (old == nullptr) return std::move(errors).Take();
  CheckImmutable(map.immutable, old->immutable, errors);
  if (old->immutable.value_or(false)) {
    if (map.data != old->data) errors.Forbidden(data, kFrozen);
    if (map.binary_data != old->binary_data) errors.Forbidden(binary, kFrozen);
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateSecret(const core_v1::Secret& secret, const core_v1::Secret* old) {
  FieldErrors errors;
  const Path data("data");
  size_t bytes = 0;
  for (const auto& [key, value] : secret.data) {
    if (errors.is_full()) break;
    CheckKey(key, data, errors);
    bytes += value.bytes.size();
  }
  CheckSize(bytes, data, errors);
  CheckSecretType(secret, errors);
  if (old == nullptr) return std::move(errors).Take();
  if (secret.type != old->type) {
    errors.Invalid(Path("type"), Shown(secret.type), "field is immutable");
  }
  CheckImmutable(secret.immutable, old->immutable, errors);
  if (old->immutable.value_or(false) && secret.data != old->data) {
    errors.Forbidden(data, kFrozen);
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidatePriorityClass(const scheduling_v1::PriorityClass& priority_class,
                                              const scheduling_v1::PriorityClass* old) {
  FieldErrors errors;
  constexpr std::string_view kReserved = "system-";
  const std::string& name = priority_class.metadata.name;
  const bool is_system = name == "system-node-critical" || name == "system-cluster-critical";
  if (name.starts_with(kReserved) && !is_system) {
    errors.Forbidden(Path("metadata.name"),
                     "priority class names with 'system-' prefix are reserved for system use only. "
                     "error: " +
                         name + " is not a known system priority class");
  } else if (!is_system && priority_class.value > kUserPriorityMax) {
    errors.Forbidden(
        Path("value"),
        "maximum allowed value of a user defined priority is " + std::to_string(kUserPriorityMax));
  }
  const std::string policy = priority_class.preemption_policy.value_or("PreemptLowerPriority");
  constexpr std::array<std::string_view, 2> kPolicies = {"Never", "PreemptLowerPriority"};
  if (std::ranges::find(kPolicies, policy) == kPolicies.end()) {
    errors.NotSupported(Path("preemptionPolicy"), policy, kPolicies);
  }
  if (old == nullptr) return std::move(errors).Take();
  constexpr std::string_view kStays = "may not be changed in an update.";
  if (priority_class.value != old->value) errors.Forbidden(Path("value"), kStays);
  if (priority_class.preemption_policy != old->preemption_policy) {
    errors.Invalid(Path("preemptionPolicy"), Shown(policy), "field is immutable");
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateRole(const rbac_v1::Role& role) {
  FieldErrors errors;
  CheckRules(role.rules, Scope::kNamespace, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateClusterRole(const rbac_v1::ClusterRole& role) {
  FieldErrors errors;
  CheckRules(role.rules, Scope::kCluster, errors);
  if (role.aggregation_rule.has_value()) CheckAggregation(*role.aggregation_rule, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateRoleBinding(const rbac_v1::RoleBinding& binding,
                                            const rbac_v1::RoleBinding* old) {
  return CheckBinding(binding, old, Scope::kNamespace);
}

std::vector<ErrorCause> ValidateClusterRoleBinding(const rbac_v1::ClusterRoleBinding& binding,
                                                   const rbac_v1::ClusterRoleBinding* old) {
  return CheckBinding(binding, old, Scope::kCluster);
}

}  // namespace dray::api::validation::inline cluster
