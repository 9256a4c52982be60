// SPDX-License-Identifier: Apache-2.0
#include "controllers/role_aggregation.h"

#include <algorithm>
#include <utility>

#include "api/selectors/selector_of.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"

namespace dray::controllers {
namespace {

using api::rbac_v1::ClusterRole;
using api::rbac_v1::PolicyRule;

// Keys handled before the informer is polled again.

bool Selects(const ClusterRole& role, const api::Map<std::string>& labels) {
  return std::ranges::any_of(role.aggregation_rule->cluster_role_selectors, [&](const auto& one) {
    const Result<api::LabelSelector> selector = api::SelectorOf(one);
    return selector.has_value() && selector->Matches(labels);
  });
}

}  // namespace

RoleAggregation::RoleAggregation(client::Client& client,
                                 World& world,
                                 client::SharedInformers& informers,
                                 Log log)
    : client_(client),
      keys_({.clock = world.clock,
             .log = std::move(log),
             .failed = "a role keeps its rules for now"}),
      roles_(informers.Of(api::Reflected<ClusterRole>::kKind)) {
  roles_.OnChange([this](auto*, auto*) { has_changed_ = true; });
}

std::optional<MonotonicTime> RoleAggregation::Step() {
  const std::optional<MonotonicTime> next = roles_.Step();
  if (!roles_.synced()) return next;
  has_changed_ = keys_.MustStartOver() || has_changed_;
  if (std::exchange(has_changed_, false)) EnqueueAll();
  keys_.Handle([this](const std::string& key) { return Sync(key); });
  return client::Earlier(next, keys_.Next());
}

void RoleAggregation::EnqueueAll() {
  for (const auto& [key, object] : roles_.objects()) {
    const auto& role = object.As<ClusterRole>();
    if (!role.aggregation_rule.has_value() || RulesFor(role) == role.rules) continue;
    keys_.Add(key);
  }
}

api::List<PolicyRule> RoleAggregation::RulesFor(const ClusterRole& role) const {
  api::List<PolicyRule> rules;
  for (const auto& [key, object] : roles_.objects()) {
    const auto& other = object.As<ClusterRole>();
    const bool is_itself = other.metadata.name == role.metadata.name;
    if (is_itself || !Selects(role, other.metadata.labels)) continue;
    for (const PolicyRule& rule : other.rules) {
      if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
    }
  }
  return rules;
}

Result<> RoleAggregation::Sync(std::string_view key) {
  const api::Object* found = roles_.Find(key);
  if (found == nullptr) return {};
  const api::Object role = *found;
  DRAY_TRY_VOID(
      client::ReadModifyWrite(client_, role, {}, [&](api::Object& copy) -> Result<client::Change> {
        if (!copy.As<ClusterRole>().aggregation_rule.has_value()) return client::Change::kNothing;
        api::List<PolicyRule> rules = RulesFor(copy.As<ClusterRole>());
        if (rules == copy.As<ClusterRole>().rules) return client::Change::kNothing;
        copy.Mutable<ClusterRole>().rules = std::move(rules);
        return client::Change::kWrite;
      }));
  return {};
}

}  // namespace dray::controllers
