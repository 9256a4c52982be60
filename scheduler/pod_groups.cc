// SPDX-License-Identifier: Apache-2.0
#include "scheduler/pod_groups.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "client/read_modify_write.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

constexpr const char* kInitiallyScheduled = "PodGroupInitiallyScheduled";
constexpr std::string_view kUsualPolicy = "PreemptLowerPriority";

std::string_view PolicyOf(const core_v1::Pod& pod) {
  return pod.spec.preemption_policy ? std::string_view(*pod.spec.preemption_policy) : kUsualPolicy;
}

}  // namespace

int64_t MinCountOf(const PodGroup& group) {
  const auto& gang = group.spec.scheduling_policy.gang;
  return gang ? int64_t{gang->min_count} : 1;
}

std::string WhyNotAGroup(const PodGroup& group, std::span<const core_v1::Pod* const> pods) {
  const int32_t priority = group.spec.priority.value_or(0);
  for (const core_v1::Pod* pod : pods) {
    const core_v1::Pod& first = *pods.front();
    if (pod->spec.scheduler_name != first.spec.scheduler_name) {
      return fmt::format(
          "all pods in a single pod group should have the same .spec.schedulerName set, got: "
          "\"{}\" and \"{}\"",
          pod->spec.scheduler_name,
          first.spec.scheduler_name);
    }
    if (const int32_t own = pod->spec.priority.value_or(0); own != priority) {
      return fmt::format(
          "all pods in a single pod group should have the same priority as the pod group's "
          "priority, got {} and {}",
          own,
          priority);
    }
    if (PolicyOf(*pod) != PolicyOf(first)) {
      return fmt::format(
          "all pods in a single pod group should have the same preemption policy, got {} and {}",
          PolicyOf(*pod),
          PolicyOf(first));
    }
  }
  return {};
}

bool GoesBefore(const api::meta_v1::ObjectMeta& one, const api::meta_v1::ObjectMeta& other) {
  if (one.creation_timestamp != other.creation_timestamp) {
    return one.creation_timestamp < other.creation_timestamp;
  }
  return one.name < other.name;
}

std::vector<resource_v1::ResourceClaimConsumerReference> ConsumersOf(
    const core_v1::Pod& pod, std::span<const api::Object> claims, const PodGroup& group) {
  std::vector<resource_v1::ResourceClaimConsumerReference> consumers;
  for (const api::Object& claim : claims) {
    const auto entry = std::ranges::find_if(pod.spec.resource_claims, [&](const auto& candidate) {
      return api::claims::TargetOf(pod, candidate).name == claim.metadata().name;
    });
    const bool is_shared =
        entry != pod.spec.resource_claims.end() && api::claims::IsSharedByGroup(*entry, group);
    consumers.push_back(is_shared ? api::claims::ConsumerOf(group) : api::claims::ConsumerOf(pod));
  }
  return consumers;
}

std::string MessageOf(const GroupProgress& progress) {
  return fmt::format("minCount ({}) cannot be satisfied: {} scheduled, {} remaining",
                     progress.min_count,
                     progress.scheduled,
                     progress.remaining);
}

Result<api::Object> TellOfGroup(client::Client& client,
                                const api::Object& group,
                                const GroupCondition& condition,
                                api::Time now) {
  const std::string& uid = group.metadata().uid;
  const std::string_view status = condition.is_scheduled ? "True" : "False";
  return client::ReadModifyWrite(
      client, group, "status", [&](api::Object& copy) -> Result<client::Change> {
        if (copy.metadata().uid != uid) return client::Change::kNothing;
        auto& conditions = copy.Mutable<PodGroup>().status.conditions;
        auto known =
            std::ranges::find(conditions, kInitiallyScheduled, &api::meta_v1::Condition::type);
        if (known == conditions.end()) {
          known = conditions.insert(conditions.end(), {.type = kInitiallyScheduled});
        }
        // Pods that come later do not undo that the group was scheduled.
        if (known->status == "True" && !condition.is_scheduled) return client::Change::kNothing;
        if (known->status == status && known->reason == condition.reason &&
            known->message == condition.message) {
          return client::Change::kNothing;
        }
        if (known->status != status) known->last_transition_time = now;
        known->status = status;
        known->reason = condition.reason;
        known->message = condition.message;
        known->observed_generation = copy.metadata().generation;
        return client::Change::kWrite;
      });
}

Result<api::Object> UnreserveForGroup(client::Client& client,
                                      const api::Object& claim,
                                      std::string_view group_uid) {
  const std::string& uid = claim.metadata().uid;
  return client::ReadModifyWrite(
      client, claim, "status", [&](api::Object& copy) -> Result<client::Change> {
        auto& users = copy.Mutable<resource_v1::ResourceClaim>().status.reserved_for;
        const bool is_same = copy.metadata().uid == uid;
        const auto is_it = [&](const auto& user) { return user.uid == group_uid; };
        return is_same && std::erase_if(users, is_it) > 0 ? client::Change::kWrite
                                                          : client::Change::kNothing;
      });
}

}  // namespace dray::scheduler
