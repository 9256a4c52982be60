// SPDX-License-Identifier: Apache-2.0
#include "server/access/bootstrap_policy.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/rbac_v1.h"
#include "server/access/user.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kController = "system:controller:";
constexpr std::string_view kSystem = "kube-system";

// Bindings other than those of controllers: a cluster role and its subject.
struct Grant {
  std::string_view role, kind, name;  // a name with a slash: an account and its namespace
};
constexpr Grant kGrants[] = {
    {"cluster-admin", "Group", kMasters},
    {"system:basic-user", "Group", kAuthenticated},
    {"system:cluster-trust-bundle-discovery", "Group", kServiceAccounts},
    {"system:discovery", "Group", kAuthenticated},
    {"system:kube-controller-manager", "User", "system:kube-controller-manager"},
    {"system:kube-dns", "ServiceAccount", "kube-system/kube-dns"},
    {"system:kube-scheduler", "User", "system:kube-scheduler"},
    {"system:monitoring", "Group", "system:monitoring"},
    {"system:node", "", ""},  // the node authoriser does that
    {"system:node-proxier", "User", "system:kube-proxy"},
    {"system:public-info-viewer", "Group", kAuthenticated},
    {"system:public-info-viewer", "Group", kUnauthenticated},
    {"system:service-account-issuer-discovery", "Group", kServiceAccounts},
    {"system:volume-scheduler", "User", "system:kube-scheduler"}};

// The same for roles in a namespace; the binding has the name of the role unless it has one of its
// own.
struct LocalGrant {
  std::string_view namespace_, binding, role, kind, name;
};
constexpr std::string_view kReader = "extension-apiserver-authentication-reader";
constexpr std::string_view kReaders = "system::extension-apiserver-authentication-reader";
constexpr std::string_view kManagerLock = "system::leader-locking-kube-controller-manager";
constexpr std::string_view kSchedulerLock = "system::leader-locking-kube-scheduler";
constexpr std::string_view kSigner = "system:controller:bootstrap-signer";
constexpr LocalGrant kLocalGrants[] = {
    {"kube-public", kSigner, kSigner, "ServiceAccount", "kube-system/bootstrap-signer"},
    {kSystem, kReaders, kReader, "User", "system:kube-controller-manager"},
    {kSystem, kReaders, kReader, "User", "system:kube-scheduler"},
    {kSystem, kManagerLock, kManagerLock, "User", "system:kube-controller-manager"},
    {kSystem, kManagerLock, kManagerLock, "ServiceAccount", "kube-system/kube-controller-manager"},
    {kSystem,
     kManagerLock,
     kManagerLock,
     "ServiceAccount",
     "kube-system/leader-election-controller"},
    {kSystem, kSchedulerLock, kSchedulerLock, "User", "system:kube-scheduler"},
    {kSystem, kSchedulerLock, kSchedulerLock, "ServiceAccount", "kube-system/kube-scheduler"},
    {kSystem, kSigner, kSigner, "ServiceAccount", "kube-system/bootstrap-signer"},
    {kSystem,
     "system:controller:cloud-provider",
     "system:controller:cloud-provider",
     "ServiceAccount",
     "kube-system/cloud-provider"},
    {kSystem,
     "system:controller:token-cleaner",
     "system:controller:token-cleaner",
     "ServiceAccount",
     "kube-system/token-cleaner"}};

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Splits into lines; continuation lines are joined with the line before them.
std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with("    ")) {
      lines.back() += line.substr(4);
    } else {
      lines.emplace_back(line);
    }
  }
  return lines;
}

api::List<std::string> Texts(std::string_view list) {
  api::List<std::string> texts;
  for (const std::string_view text : Split(list, ',')) {
    texts.emplace_back(text == R"("")" ? "" : text);
  }
  return texts;
}

rbac::PolicyRule RuleOf(std::string_view line) {
  const std::vector<std::string_view> parts = Split(line, ' ');
  rbac::PolicyRule rule;
  if (parts[0] == "path") {
    rule.verbs = Texts(parts[1]);
    rule.non_resource_urls = Texts(parts[2]);
    return rule;
  }
  rule.verbs = Texts(parts[0]);
  rule.api_groups = Texts(parts[1]);
  rule.resources = Texts(parts[2]);
  if (parts.size() > 3) rule.resource_names = Texts(parts[3]);
  return rule;
}

void Mark(api::meta_v1::ObjectMeta& meta) {
  meta.labels.insert_or_assign("kubernetes.io/bootstrapping", "rbac-defaults");
  meta.annotations.insert_or_assign("rbac.authorization.kubernetes.io/autoupdate", "true");
}

std::string AggregationLabel(std::string_view role) {
  return fmt::format("rbac.authorization.k8s.io/aggregate-to-{}", role);
}

bool HasGate(const api::Profile& profile, std::string_view name) {
  return std::ranges::any_of(api::Gates(), [&](const api::GateInfo& info) {
    return info.name == name && profile.Has(info.gate);
  });
}

/// Returns nothing if the role's gates are off.
std::optional<rbac::ClusterRole> HeadOf(std::string_view line, const api::Profile& profile) {
  rbac::ClusterRole role;
  Mark(role.metadata);
  for (const std::string_view part : Split(line, ' ')) {
    const std::string_view value = part.substr(std::min(part.find('=') + 1, part.size()));
    if (part.starts_with("to=")) {
      role.metadata.labels.insert_or_assign(AggregationLabel(value), "true");
    } else if (part.starts_with("from=")) {
      api::meta_v1::LabelSelector selector;
      selector.match_labels.insert_or_assign(AggregationLabel(value), "true");
      role.aggregation_rule.emplace().cluster_role_selectors.push_back(std::move(selector));
    } else if (part.starts_with("gate=")) {
      if (!HasGate(profile, value)) return std::nullopt;
    } else {
      role.metadata.name = part;
    }
  }
  return role;
}

std::vector<rbac::ClusterRole> RolesOf(std::string_view text, const api::Profile& profile) {
  std::vector<rbac::ClusterRole> roles;
  bool is_there = false;
  for (const std::string& line : Lines(text)) {
    if (line.starts_with("  ")) {
      if (is_there) roles.back().rules.push_back(RuleOf(line));
      continue;
    }
    std::optional<rbac::ClusterRole> role = HeadOf(line, profile);
    is_there = role.has_value();
    if (is_there) roles.push_back(*std::move(role));
  }
  return roles;
}

rbac::Subject SubjectOf(std::string_view kind, std::string_view name) {
  rbac::Subject subject;
  subject.kind = kind;
  if (kind != "ServiceAccount") {
    subject.api_group = kGroup;
    subject.name = name;
    return subject;
  }
  const size_t slash = name.find('/');
  subject.namespace_ = name.substr(0, slash);
  subject.name = name.substr(slash + 1);
  return subject;
}

rbac::ClusterRoleBinding BindingOf(std::string_view role) {
  rbac::ClusterRoleBinding binding;
  Mark(binding.metadata);
  binding.metadata.name = role;
  binding.role_ref.api_group = kGroup;
  binding.role_ref.kind = "ClusterRole";
  binding.role_ref.name = role;
  return binding;
}

void AddGrants(std::vector<api::Object>& objects) {
  std::optional<rbac::ClusterRoleBinding> binding;
  const auto finish = [&] {
    if (binding.has_value()) objects.push_back(api::Object::Of(*std::exchange(binding, {})));
  };
  for (const Grant& grant : kGrants) {
    if (!binding.has_value() || binding->metadata.name != grant.role) {
      finish();
      binding = BindingOf(grant.role);
    }
    if (!grant.kind.empty()) binding->subjects.push_back(SubjectOf(grant.kind, grant.name));
  }
  finish();
}

void AddLocal(const api::Profile& profile, std::vector<api::Object>& objects) {
  for (rbac::ClusterRole& head : RolesOf(kBootstrapLocalRoles, profile)) {
    rbac::Role role;
    const std::string name = head.metadata.name;
    const size_t slash = name.find('/');
    role.metadata = std::move(head.metadata);
    role.metadata.namespace_ = name.substr(0, slash);
    role.metadata.name = name.substr(slash + 1);
    role.rules = std::move(head.rules);
    objects.push_back(api::Object::Of(std::move(role)));
  }
  std::optional<rbac::RoleBinding> binding;
  const auto finish = [&] {
    if (binding.has_value()) objects.push_back(api::Object::Of(*std::exchange(binding, {})));
  };
  for (const LocalGrant& grant : kLocalGrants) {
    const bool is_same = binding.has_value() && binding->metadata.name == grant.binding &&
                         binding->metadata.namespace_ == grant.namespace_;
    if (!is_same) {
      finish();
      binding.emplace();
      Mark(binding->metadata);
      binding->metadata.namespace_ = grant.namespace_;
      binding->metadata.name = grant.binding;
      binding->role_ref.api_group = kGroup;
      binding->role_ref.kind = "Role";
      binding->role_ref.name = grant.role;
    }
    binding->subjects.push_back(SubjectOf(grant.kind, grant.name));
  }
  finish();
}

}  // namespace

std::vector<api::Object> BootstrapPolicy(const api::Profile& profile) {
  std::vector<api::Object> objects;
  for (rbac::ClusterRole& role : RolesOf(kBootstrapRoles, profile)) {
    objects.push_back(api::Object::Of(std::move(role)));
  }
  AddGrants(objects);
  for (rbac::ClusterRole& role : RolesOf(kBootstrapControllerRoles, profile)) {
    rbac::ClusterRoleBinding binding = BindingOf(role.metadata.name);
    const std::string account = role.metadata.name.substr(kController.size());
    binding.subjects.push_back(SubjectOf("ServiceAccount", fmt::format("{}/{}", kSystem, account)));
    objects.push_back(api::Object::Of(std::move(role)));
    objects.push_back(api::Object::Of(std::move(binding)));
  }
  AddLocal(profile, objects);
  return objects;
}

}  // namespace dray::server::access
