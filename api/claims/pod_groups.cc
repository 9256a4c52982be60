// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pod_groups.h"

#include <algorithm>

namespace dray::api::claims {
namespace {

constexpr std::string_view kGroupsOfPods = "podgroups";
constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";

}  // namespace

std::string PodGroupKeyOf(const core_v1::Pod& pod) {
  const auto& group = pod.spec.scheduling_group;
  if (!group || !group->pod_group_name || group->pod_group_name->empty()) return {};
  return pod.metadata.namespace_ + "/" + *group->pod_group_name;
}

bool IsSharedByGroup(const core_v1::PodResourceClaim& entry,
                     const scheduling_v1beta1::PodGroup& group) {
  return std::ranges::any_of(group.spec.resource_claims, [&](const auto& shared) {
    return shared.name == entry.name && shared.resource_claim_name == entry.resource_claim_name &&
           shared.resource_claim_template_name == entry.resource_claim_template_name;
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
