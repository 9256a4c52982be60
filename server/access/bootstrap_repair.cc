// SPDX-License-Identifier: Apache-2.0
#include "server/access/bootstrap_repair.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "api/rbac_v1.h"
#include "server/access/escalation.h"
#include "server/access/rule_index.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

template <class Texts>
void AddMissing(const Texts& expected, Texts& texts) {
  for (const auto& [key, value] : expected) texts.try_emplace(key, value);
}

template <class List>
void AppendMissing(const List& expected, List& list) {
  for (const auto& one : expected) {
    if (std::ranges::find(list, one) == list.end()) list.push_back(one);
  }
}

template <class Role>
void AddRules(const Role& expected, Role& role) {
  if (role.rules == expected.rules) return;
  const auto index = [](const auto& rules) {
    return std::make_shared<const RuleIndex>(std::span(rules.data(), rules.size()));
  };
  constexpr size_t kAllOfThem = ~size_t{0};
  const Missing missing = Uncovered({index(role.rules)}, *index(expected.rules), kAllOfThem);
  for (const Rule& rule : missing.shown) role.rules.push_back(rule);
}

void AddAggregation(const rbac::ClusterRole& expected, rbac::ClusterRole& role) {
  if (!expected.aggregation_rule.has_value()) {
    role.aggregation_rule.reset();
    return;
  }
  if (!role.aggregation_rule.has_value()) role.aggregation_rule.emplace();
  AppendMissing(expected.aggregation_rule->cluster_role_selectors,
                role.aggregation_rule->cluster_role_selectors);
}

template <class T>
std::optional<api::Object> Repair(const api::Object& there, const api::Object& expected) {
  const T& wanted = expected.As<T>();
  T next = there.As<T>();
  if constexpr (requires { next.role_ref; }) {
    if (next.role_ref != wanted.role_ref) return expected;
    AppendMissing(wanted.subjects, next.subjects);
  } else {
    AddRules(wanted, next);
  }
  if constexpr (requires { next.aggregation_rule; }) AddAggregation(wanted, next);
  AddMissing(wanted.metadata.labels, next.metadata.labels);
  AddMissing(wanted.metadata.annotations, next.metadata.annotations);
  if (next == there.As<T>()) return std::nullopt;
  return api::Object::Of(std::move(next));
}

}  // namespace

std::optional<api::Object> RepairOf(const api::Object& there, const api::Object& expected) {
  const auto& annotations = there.metadata().annotations;
  const auto found = annotations.find(kAutoUpdate);
  if (found != annotations.end() && found->second == "false") return std::nullopt;
  if (there.If<rbac::Role>() != nullptr) return Repair<rbac::Role>(there, expected);
  if (there.If<rbac::ClusterRole>() != nullptr) return Repair<rbac::ClusterRole>(there, expected);
  if (there.If<rbac::RoleBinding>() != nullptr) return Repair<rbac::RoleBinding>(there, expected);
  return Repair<rbac::ClusterRoleBinding>(there, expected);
}

bool IsReplacement(const api::Object& repair) {
  return repair.metadata().uid.empty();
}

}  // namespace dray::server::access
