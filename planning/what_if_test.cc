// SPDX-License-Identifier: Apache-2.0
#include "planning/what_if.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

/// Node "a" with a slice, and pods "one" and "agent" on it, which share a claim; "agent" is of a
/// DaemonSet.
OfflineObjects Cluster() {
  OfflineObjects objects;
  core::Node node;
  node.metadata.name = "a";
  objects.nodes.emplace("a", api::Object::Of(std::move(node)));
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->metadata.name = "gpus-of-a";
  slice->spec.node_name = "a";
  slice->spec.pool.name = "a";
  objects.slices.push_back(std::move(slice));
  for (const std::string name : {"one", "agent"}) {
    core::Pod pod;
    pod.metadata = {.name = name, .namespace_ = "default", .uid = "uid-" + name};
    pod.spec.node_name = "a";
    if (name == "agent") pod.metadata.owner_references.push_back({.kind = "DaemonSet"});
    objects.pods.push_back({api::Object::Of(std::move(pod)), ""});
  }
  v1::ResourceClaim claim;
  claim.metadata = {.name = "gpu", .namespace_ = "default"};
  claim.status.allocation.emplace();
  claim.status.reserved_for = {{.resource = "pods", .name = "one", .uid = "uid-one"}};
  objects.claims.emplace("default/gpu", PlacedObject{api::Object::Of(std::move(claim)), ""});
  objects.claim_order = {"default/gpu"};
  return objects;
}

bool HasDevices(const OfflineObjects& objects) {
  const auto& claim = objects.claims.at("default/gpu").object.As<v1::ResourceClaim>();
  return claim.status.allocation.has_value();
}

TEST(WhatIf, PodsOfADrainedNodeWaitAgainButThoseOfDaemonSets) {
  OfflineObjects objects = Cluster();
  EXPECT_EQ(Drain(objects, "a").value(), std::vector<std::string>{"pod default/one"});
  EXPECT_TRUE(objects.nodes.at("a").As<core::Node>().spec.unschedulable);
  EXPECT_EQ(objects.pods[0].object.As<core::Pod>().spec.node_name, "");
  EXPECT_EQ(objects.pods[1].object.As<core::Pod>().spec.node_name, "a");
  EXPECT_FALSE(HasDevices(objects));
  EXPECT_EQ(objects.slices.size(), 1U);
  EXPECT_FALSE(Drain(objects, "b").has_value());
}

TEST(WhatIf, ANodeThatIsRemovedTakesItsSlicesAndDaemonsAlong) {
  OfflineObjects objects = Cluster();
  EXPECT_EQ(RemoveNode(objects, "a").value(), std::vector<std::string>{"pod default/one"});
  EXPECT_TRUE(objects.nodes.empty() && objects.slices.empty());
  EXPECT_EQ(objects.pods.size(), 1U);
}

TEST(WhatIf, AClaimKeepsItsDevicesWhileAnotherPodUsesIt) {
  OfflineObjects objects = Cluster();
  EXPECT_TRUE(Delete(objects, "pod/agent", "default").has_value());
  EXPECT_TRUE(HasDevices(objects));
  EXPECT_TRUE(Delete(objects, "pod/default/one", "other").has_value());
  EXPECT_FALSE(HasDevices(objects));
  EXPECT_TRUE(Delete(objects, "claim/gpu", "default").has_value());
  EXPECT_TRUE(objects.claims.empty() && objects.claim_order.empty());
  for (const std::string what : {"claim/gpu", "pod/one", "node/a", "pod/", "pod"})
    EXPECT_FALSE(Delete(objects, what, "default").has_value()) << what;
}

TEST(WhatIf, NodesMoreAreLikeTheFirstAndAtMostSoMany) {
  OfflineObjects objects = Cluster();
  ASSERT_TRUE(AddNodesLike(objects, "a", 2).has_value());
  EXPECT_EQ(objects.nodes.size(), 3U);
  EXPECT_EQ(objects.slices[2]->metadata.name, "gpus-of-a-more-1");
  EXPECT_EQ(objects.slices[2]->spec.pool.name, "a-more-1");
  EXPECT_EQ(objects.slices[2]->spec.node_name, "a-more-1");
  EXPECT_TRUE(AddNodesLike(objects, "a", kCopiesMax).has_value());
  EXPECT_FALSE(AddNodesLike(objects, "a", kCopiesMax + 1).has_value());
  EXPECT_FALSE(AddNodesLike(objects, "b", 1).has_value());
}

}  // namespace
}  // namespace dray::planning
