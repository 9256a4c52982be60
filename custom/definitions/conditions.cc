// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/conditions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/value/time.h"

namespace dray::custom::definitions {

using api::apiextensions_v1::CustomResourceDefinition;

const Condition* FindCondition(const CustomResourceDefinition& definition, std::string_view type) {
  const auto& conditions = definition.status.conditions;
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool IsConditionTrue(const CustomResourceDefinition& definition, std::string_view type) {
  const Condition* found = FindCondition(definition, type);
  return found != nullptr && found->status == "True";
}

void SetCondition(Condition condition, WallTime now, CustomResourceDefinition& definition) {
  condition.last_transition_time = api::Time::Of(now);
  auto& conditions = definition.status.conditions;
  const auto found = std::ranges::find(conditions, condition.type, &Condition::type);
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (found->status != condition.status || found->last_transition_time.IsZero()) {
    found->last_transition_time = condition.last_transition_time;
  }
  found->status = std::move(condition.status);
  found->reason = std::move(condition.reason);
  found->message = std::move(condition.message);
}

bool RemoveCondition(std::string_view type, CustomResourceDefinition& definition) {
  return std::erase_if(static_cast<std::vector<Condition>&>(definition.status.conditions),
                       [&](const Condition& one) { return one.type == type; }) > 0;
}

bool AreAlike(const Condition& a, const Condition& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason && a.message == b.message;
}

}  // namespace dray::custom::definitions
