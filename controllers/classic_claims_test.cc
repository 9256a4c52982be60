// SPDX-License-Identifier: Apache-2.0
#include "controllers/classic_claims.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace dray::controllers {
namespace {

namespace resource_v1 = api::resource_v1;
namespace classic = api::resource_v1alpha2;

template <class Claim>
Claim AllocatedClaim(size_t consumers) {
  Claim claim;
  claim.status.allocation.emplace();
  for (size_t i = 0; i < consumers; ++i) {
    claim.status.reserved_for.push_back({.resource = "pods", .uid = std::to_string(i)});
  }
  return claim;
}

TEST(MayBeReserved, UpToTheLimitsOfTheApi) {
  EXPECT_TRUE(MayBeReserved(AllocatedClaim<resource_v1::ResourceClaim>(255)));
  EXPECT_FALSE(MayBeReserved(AllocatedClaim<resource_v1::ResourceClaim>(256)));
  auto shared = AllocatedClaim<classic::ResourceClaim>(31);
  shared.status.allocation->shareable = true;
  EXPECT_TRUE(MayBeReserved(shared));
  shared = AllocatedClaim<classic::ResourceClaim>(32);
  shared.status.allocation->shareable = true;
  EXPECT_FALSE(MayBeReserved(shared));
}

TEST(MayBeReserved, OnceUnlessItIsShareable) {
  EXPECT_TRUE(MayBeReserved(AllocatedClaim<classic::ResourceClaim>(0)));
  EXPECT_FALSE(MayBeReserved(AllocatedClaim<classic::ResourceClaim>(1)));
}

TEST(MayBeReserved, NotWhileItIsAskedBack) {
  auto old = AllocatedClaim<classic::ResourceClaim>(0);
  old.status.deallocation_requested = true;
  EXPECT_FALSE(MayBeReserved(old));
  auto marked = AllocatedClaim<resource_v1::ResourceClaim>(0);
  marked.status.deallocation_requested = true;
  EXPECT_FALSE(MayBeReserved(marked));
}

TEST(Context, TellsTheNodeAndGoesWithThePod) {
  api::core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "worker";
  pod.metadata.uid = "uid-worker";
  pod.spec.node_name = "node-a";
  const api::Object made = MakeContext(pod);
  EXPECT_EQ(api::ObjectKey(made.metadata()), "lab/worker");
  EXPECT_EQ(made.As<classic::PodSchedulingContext>().spec.selected_node, "node-a");
  ASSERT_EQ(made.metadata().owner_references.size(), 1U);
  EXPECT_EQ(made.metadata().owner_references[0].uid, "uid-worker");
}

TEST(Kinds, AreThoseOfTheGeneration) {
  EXPECT_EQ(ClaimKind(ClassicClaims::kAll).version, "v1alpha2");
  EXPECT_EQ(TemplateKind(ClassicClaims::kAll).version, "v1alpha2");
  EXPECT_EQ(ClaimKind(ClassicClaims::kMarked).version, "v1");
  EXPECT_EQ(TemplateKind(ClassicClaims::kNone).version, "v1");
}

}  // namespace
}  // namespace dray::controllers
