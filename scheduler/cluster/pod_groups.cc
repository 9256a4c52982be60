// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/pod_groups.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

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

}  // namespace dray::scheduler::inline cluster
