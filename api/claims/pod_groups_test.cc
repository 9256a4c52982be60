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
