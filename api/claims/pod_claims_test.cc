// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pod_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::api::claims {
namespace {

using ::testing::ElementsAre;

/// One entry of each form: by name, generated, not generated yet, not needed.
core_v1::Pod AnyPod() {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "ns";
  pod.spec.resource_claims = {{.name = "named", .resource_claim_name = "shared"},
                              {.name = "made", .resource_claim_template_name = "t"},
                              {.name = "waits", .resource_claim_template_name = "t"},
                              {.name = "none", .resource_claim_template_name = "t"}};
  pod.status.resource_claim_statuses = {{.name = "made", .resource_claim_name = "p-made-1"},
                                        {.name = "none"},
                                        {.name = "gone", .resource_claim_name = "p-gone-1"}};
  return pod;
}

TEST(PodClaims, AnEntryStandsForOneClaimOrNone) {
  const core_v1::Pod pod = AnyPod();
  const auto target = [&](size_t entry) { return TargetOf(pod, pod.spec.resource_claims[entry]); };
  EXPECT_EQ(target(0).state, Target::State::kClaim);
  EXPECT_EQ(target(0).name, "shared");
  EXPECT_FALSE(target(0).generated);
  EXPECT_EQ(target(1).name, "p-made-1");
  EXPECT_TRUE(target(1).generated);
  EXPECT_EQ(target(2).state, Target::State::kMissing);
  EXPECT_EQ(target(3).state, Target::State::kNone);
}

TEST(PodClaims, KeysAreThoseOfItsEntriesOnly) {
  EXPECT_THAT(KeysOf(AnyPod()), ElementsAre("ns/shared", "ns/p-made-1"));
}

TEST(PodClaims, AClaimIsReservedByUid) {
  resource_v1::ResourceClaim claim;
  EXPECT_FALSE(IsReservedFor(claim, "u1"));
  claim.status.reserved_for = {{.resource = "pods", .name = "p", .uid = "u1"}};
  EXPECT_TRUE(IsReservedFor(claim, "u1"));
  EXPECT_FALSE(IsReservedFor(claim, "u2")) << "another pod of that name";
}

TEST(PodClaims, TheFinalizerIsOneOfMany) {
  meta_v1::ObjectMeta metadata;
  metadata.finalizers = {"example.com/other"};
  EXPECT_FALSE(HasFinalizer(metadata));
  metadata.finalizers.emplace_back(kFinalizer);
  EXPECT_TRUE(HasFinalizer(metadata));
}

}  // namespace
}  // namespace dray::api::claims
