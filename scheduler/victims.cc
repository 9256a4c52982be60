// SPDX-License-Identifier: Apache-2.0
// Who may have to go for a more important pod: pods alone, and groups that are disrupted as a whole
// (KEP-5710). A pod of a group is as important as its group.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/claims/pod_groups.h"
#include "api/policy_v1.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {

/// Groups may be less important than their pods.
bool Scheduler::MayHaveVictims(int32_t priority) const {
  const bool has_groups = groups_.has_value() && !groups_->objects().empty();
  return has_groups || use_.HasLessImportant(priority);
}

std::vector<Victim> Scheduler::VictimsOn(const std::string& node, int32_t priority) const {
  const auto find_pod = [this](std::string_view key) { return pods_.Find(key); };
  std::vector<Victim> victims;
  std::set<std::string> seen;
  for (PodOnNode& pod : use_.PodsOn(node, find_pod)) {
    std::optional<Victim> victim = VictimOf(std::move(pod), priority, seen);
    if (!victim) continue;
    for (PodOnNode& one : victim->pods) {
      one.is_elsewhere = one.node == nullptr || one.node->metadata.name != node;
    }
    victims.push_back(*std::move(victim));
  }
  return victims;
}

std::optional<Victim> Scheduler::VictimOf(PodOnNode pod,
                                          int32_t priority,
                                          std::set<std::string>& seen) const {
  const auto find_pod = [this](std::string_view key) { return pods_.Find(key); };
  const bool may_be_of_group = groups_.has_value() && pod.pod != nullptr;
  const std::string key = may_be_of_group ? api::claims::PodGroupKeyOf(*pod.pod) : std::string();
  const api::Object* found = key.empty() ? nullptr : groups_->Find(key);
  Victim victim{.pods = {}, .priority = pod.priority, .is_of_group = !key.empty()};
  if (found != nullptr) victim.priority = found->As<PodGroup>().spec.priority.value_or(0);
  if (victim.priority >= priority) return std::nullopt;
  const auto* mode = found == nullptr ? nullptr : &found->As<PodGroup>().spec.disruption_mode;
  if (mode == nullptr || !mode->has_value() || !(*mode)->all.has_value()) {
    victim.pods.push_back(std::move(pod));
    return victim;
  }
  if (!seen.insert(key).second) return std::nullopt;
  for (const std::string& member : pods_.Indexed(pods_by_group_, key)) {
    auto one = use_.Find(pods_.Find(member)->metadata().uid, find_pod);
    if (one.has_value()) victim.pods.push_back(*std::move(one));
  }
  return victim;
}

DisruptionBudgets Scheduler::Budgets() const {
  std::vector<const api::policy_v1::PodDisruptionBudget*> budgets;
  for (const auto& [key, object] : budgets_.objects()) {
    budgets.push_back(&object.As<api::policy_v1::PodDisruptionBudget>());
  }
  return DisruptionBudgets(budgets);
}

}  // namespace dray::scheduler
