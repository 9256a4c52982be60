// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pod_groups.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::api::claims {
namespace {

constexpr std::string_view kGroupsOfPods = "podgroups";
constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";

/// The name of the pod's group; empty if it has none.
std::string_view GroupNameOf(const core_v1::Pod& pod) {
  const auto& group = pod.spec.scheduling_group;
  return group && group->pod_group_name ? std::string_view(*group->pod_group_name)
                                        : std::string_view();
}

/// Whatever the version.
bool InSchedulingGroup(std::string_view api_version) {
  return api_version.starts_with(kSchedulingGroup) &&
         api_version.substr(kSchedulingGroup.size()).starts_with("/");
}

}  // namespace

std::string PodGroupKeyOf(const core_v1::Pod& pod) {
  const std::string_view name = GroupNameOf(pod);
  if (name.empty()) return {};
  return fmt::format("{}/{}", pod.metadata.namespace_, name);
}

bool IsSharedByGroup(const core_v1::PodResourceClaim& entry,
                     const scheduling_v1beta1::PodGroup& group) {
  return std::ranges::any_of(group.spec.resource_claims, [&](const auto& shared) {
    return shared.name == entry.name && shared.resource_claim_name == entry.resource_claim_name &&
           shared.resource_claim_template_name == entry.resource_claim_template_name;
  });
}

bool IsMadeFor(const meta_v1::ObjectMeta& claim, const core_v1::Pod& pod) {
  const auto& owners = claim.owner_references;
  const auto owner =
      std::ranges::find_if(owners, [](const auto& one) { return one.controller.value_or(false); });
  if (owner == owners.end()) return false;
  if (owner->uid == pod.metadata.uid) return true;
  return owner->kind == "PodGroup" && InSchedulingGroup(owner->api_version) &&
         owner->name == GroupNameOf(pod) && !owner->name.empty();
}

bool IsKeptFor(const resource_v1::ResourceClaim& claim, const core_v1::Pod& pod) {
  const std::string_view group = GroupNameOf(pod);
  return std::ranges::any_of(claim.status.reserved_for, [&](const auto& consumer) {
    if (consumer.uid == pod.metadata.uid) return true;
    return !group.empty() && KindOf(consumer) == ConsumerKind::kPodGroup && consumer.name == group;
  });
}

resource_v1::ResourceClaimConsumerReference ConsumerOf(const core_v1::Pod& pod) {
  return {.api_group = {}, .resource = "pods", .name = pod.metadata.name, .uid = pod.metadata.uid};
}

resource_v1::ResourceClaimConsumerReference ConsumerOf(const scheduling_v1beta1::PodGroup& group) {
  return {.api_group = std::string(kSchedulingGroup),
          .resource = std::string(kGroupsOfPods),
          .name = group.metadata.name,
          .uid = group.metadata.uid};
}

ConsumerKind KindOf(const resource_v1::ResourceClaimConsumerReference& consumer) {
  if (consumer.resource == "pods" && consumer.api_group.empty()) return ConsumerKind::kPod;
  if (consumer.resource == kGroupsOfPods && consumer.api_group == kSchedulingGroup) {
    return ConsumerKind::kPodGroup;
  }
  return ConsumerKind::kOther;
}

}  // namespace dray::api::claims
