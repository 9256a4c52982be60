// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pod_groups.h"

#include <gtest/gtest.h>

namespace dray::api::claims {
namespace {

TEST(PodGroups, APodNamesOneGroupOrNone) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  EXPECT_EQ(PodGroupKeyOf(pod), "");
  pod.spec.scheduling_group.emplace();
  EXPECT_EQ(PodGroupKeyOf(pod), "") << "a selection this release does not know";
  pod.spec.scheduling_group->pod_group_name = "team";
  EXPECT_EQ(PodGroupKeyOf(pod), "lab/team");
}

TEST(PodGroups, AClaimIsSharedIfTheGroupSaysTheSame) {
  scheduling_v1beta1::PodGroup group;
  group.spec.resource_claims = {{.name = "g", .resource_claim_name = "shared"},
                                {.name = "t", .resource_claim_template_name = "one"}};
  EXPECT_TRUE(IsSharedByGroup({.name = "g", .resource_claim_name = "shared"}, group));
  EXPECT_TRUE(IsSharedByGroup({.name = "t", .resource_claim_template_name = "one"}, group));
  EXPECT_FALSE(IsSharedByGroup({.name = "mine", .resource_claim_name = "shared"}, group));
  EXPECT_FALSE(IsSharedByGroup({.name = "g", .resource_claim_name = "other"}, group));
  EXPECT_FALSE(IsSharedByGroup({.name = "g", .resource_claim_template_name = "shared"}, group));
}

TEST(PodGroups, AClaimIsMadeForAPodOrItsGroup) {
  core_v1::Pod pod;
  pod.metadata.uid = "p";
  pod.spec.scheduling_group.emplace().pod_group_name = "team";
  meta_v1::ObjectMeta claim;
  EXPECT_FALSE(IsMadeFor(claim, pod));
  const auto owned_by = [&](const meta_v1::OwnerReference& owner) {
    claim.owner_references = {owner};
    return IsMadeFor(claim, pod);
  };
  const char* const version = "scheduling.k8s.io/v1beta1";
  EXPECT_TRUE(owned_by({.api_version = "v1", .kind = "Pod", .uid = "p", .controller = true}));
  EXPECT_FALSE(owned_by({.api_version = "v1", .kind = "Pod", .uid = "p"}));
  EXPECT_TRUE(owned_by({.api_version = version,
                        .kind = "PodGroup",
                        .name = "team",
                        .uid = "g",
                        .controller = true}));
  EXPECT_FALSE(owned_by({.api_version = version,
                         .kind = "PodGroup",
                         .name = "them",
                         .uid = "g",
                         .controller = true}));
  EXPECT_FALSE(owned_by({.api_version = "example.com/v1",
                         .kind = "PodGroup",
                         .name = "team",
                         .uid = "g",
                         .controller = true}));
}

TEST(PodGroups, AClaimIsKeptForAPodOrItsGroup) {
  core_v1::Pod pod;
  pod.metadata.uid = "p";
  resource_v1::ResourceClaim claim;
  claim.status.reserved_for = {
      {.api_group = "scheduling.k8s.io", .resource = "podgroups", .name = "team", .uid = "g"}};
  EXPECT_FALSE(IsKeptFor(claim, pod));
  pod.spec.scheduling_group.emplace().pod_group_name = "team";
  EXPECT_TRUE(IsKeptFor(claim, pod));
  pod.spec.scheduling_group->pod_group_name = "them";
  EXPECT_FALSE(IsKeptFor(claim, pod));
  claim.status.reserved_for.push_back(ConsumerOf(pod));
  EXPECT_TRUE(IsKeptFor(claim, pod));
}

TEST(PodGroups, ConsumersAreToldApart) {
  core_v1::Pod pod;
  pod.metadata.uid = "p";
  scheduling_v1beta1::PodGroup group;
  group.metadata.uid = "g";
  EXPECT_EQ(KindOf(ConsumerOf(pod)), ConsumerKind::kPod);
  EXPECT_EQ(KindOf(ConsumerOf(group)), ConsumerKind::kPodGroup);
  EXPECT_EQ(KindOf({.api_group = "example.com", .resource = "pods"}), ConsumerKind::kOther);
  EXPECT_EQ(ConsumerOf(group).uid, "g");
}

}  // namespace
}  // namespace dray::api::claims
