// SPDX-License-Identifier: Apache-2.0
#include "planning/whatif/what_if.h"

#include <atomic>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/apps_v1/daemon_set.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/simulated_world.h"
#include "planning/cluster/offline_cluster.h"

namespace dray::planning::inline whatif {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

/// Node "a" with a slice, and pods "one" and "agent" on it, which share a claim; a DaemonSet owns
/// "agent".
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

TEST(OfflineCluster, SaysOnlyWhatIsKnownWhenItIsCancelled) {
  SimulatedWorld world(1);
  OfflineObjects objects = Cluster();
  for (PlacedObject& placed : objects.pods) {
    api::Object waiting = placed.object.Clone();
    waiting.Mutable<core::Pod>().spec.node_name.clear();
    placed.object = std::move(waiting);
  }
  std::atomic<bool> cancelled = true;
  OfflineCluster cluster(world.world(), objects, {.budget = {.cancelled = &cancelled}});
  EXPECT_TRUE(cluster.AllocateAll().empty());
  core::Pod pod;
  pod.metadata = {.name = "third", .namespace_ = "default", .uid = "uid-third"};
  pod.spec.node_selector["no"] = "node";
  pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "gpu"}};
  EXPECT_EQ(cluster.AddPod({api::Object::Of(core::Pod(pod)), ""}).verdict, Verdict::kUndecided);
  EXPECT_EQ(cluster.Explain("pod default/third")->verdict, Verdict::kUndecided);
  cancelled = false;
  EXPECT_EQ(cluster.Explain("pod default/third")->verdict, Verdict::kDoesNotFit);
}

/// Node "a" with two devices of a class, and claims "first" and "second" for one each.
OfflineObjects TwoClaims() {
  OfflineObjects objects;
  core::Node node;
  node.metadata.name = "a";
  objects.nodes.emplace("a", api::Object::Of(std::move(node)));
  auto gpu = std::make_shared<v1::DeviceClass>();
  gpu->metadata.name = "gpu";
  objects.classes.push_back(std::move(gpu));
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->metadata.name = "gpus-of-a";
  slice->spec.driver = "gpu.acme.example";
  slice->spec.node_name = "a";
  slice->spec.pool = {.name = "a", .generation = 1, .resource_slice_count = 1};
  slice->spec.devices = {{.name = "gpu-0"}, {.name = "gpu-1"}};
  objects.slices.push_back(std::move(slice));
  for (const std::string name : {"first", "second"}) {
    v1::ResourceClaim claim;
    claim.metadata = {.name = name, .namespace_ = "default", .uid = "uid-" + name};
    v1::DeviceRequest request{.name = "gpu"};
    request.exactly.emplace() = {
        .device_class_name = "gpu", .allocation_mode = "ExactCount", .count = 1};
    claim.spec.devices.requests.push_back(std::move(request));
    objects.claims.emplace("default/" + name, PlacedObject{api::Object::Of(std::move(claim)), ""});
    objects.claim_order.push_back("default/" + name);
  }
  return objects;
}

TEST(OfflineCluster, WhatIsFoundBeforeTheWorkIsSpentIsKnown) {
  SimulatedWorld world(1);
  allocator::SharedWork work(1'000'000'000);
  std::vector<std::string> begun;
  OfflineCluster cluster(
      world.world(), TwoClaims(), {.budget = {.work = &work}, .begins = [&](std::string_view what) {
                                     begun.emplace_back(what);
                                     if (begun.size() == 2) work.Charge(work.left());
                                   }});
  const std::vector<OfflineAnswer> answers = cluster.AllocateAll();
  EXPECT_EQ(begun, (std::vector<std::string>{"claim default/first", "claim default/second"}));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].verdict, Verdict::kFits);
  EXPECT_EQ(answers[1].verdict, Verdict::kUndecided);
}

/// Node "a" with two devices, and pods "p0" to "p4" that want three each, with claims of their own.
OfflineObjects FivePods() {
  OfflineObjects objects = TwoClaims();
  const api::Object claim = objects.claims.at("default/first").object;
  objects.claims.clear();
  objects.claim_order.clear();
  for (int i = 0; i < 5; ++i) {
    core::Pod pod;
    pod.metadata = {
        .name = fmt::format("p{}", i), .namespace_ = "default", .uid = fmt::format("uid-p{}", i)};
    const std::string name = fmt::format("of-p{}", i);
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = name}};
    objects.pods.push_back({api::Object::Of(std::move(pod)), ""});
    api::Object own = claim.Clone();
    auto& value = own.Mutable<v1::ResourceClaim>();
    value.metadata.name = name;
    value.metadata.uid = "uid-" + name;
    value.spec.devices.requests[0].exactly->count = 3;
    objects.claims.emplace("default/" + name, PlacedObject{own, ""});
    objects.claim_order.push_back("default/" + name);
  }
  return objects;
}

TEST(OfflineCluster, SearchesOnceForPodsThatAreAlike) {
  SimulatedWorld world(1);
  allocator::SharedWork work(1'000'000'000);
  OfflineCluster cluster(
      world.world(), FivePods(), {.budget = {.work = &work}, .finds_failures = false});
  const auto spent = [&](const auto& ask) {
    const uint64_t before = work.left();
    ask();
    return before - work.left();
  };
  std::vector<OfflineExplanation> said;
  const auto explain = [&](const std::string& what) { said.push_back(*cluster.Explain(what)); };
  EXPECT_GT(spent([&] { explain("pod default/p0"); }), 0U);
  EXPECT_EQ(spent([&] { explain("pod default/p1"); }), 0U);
  EXPECT_EQ(said[1].reason, said[0].reason);
  EXPECT_EQ(said[1].explanation.funnels[0].claim, "default/of-p1");
  // A pod that is placed or leaves changes the question.
  core::Pod small;
  small.metadata = {.name = "small", .namespace_ = "default", .uid = "uid-small"};
  EXPECT_EQ(cluster.AddPod({api::Object::Of(std::move(small)), ""}).verdict, Verdict::kFits);
  EXPECT_GT(spent([&] { explain("pod default/p2"); }), 0U);
  OfflineCluster other(world.world(), FivePods(), {.finds_failures = false});
  const std::vector<OfflineAnswer> answers = other.AllocateAll();
  ASSERT_EQ(answers.size(), 5U);
  for (const OfflineAnswer& answer : answers) {
    EXPECT_EQ(answer.verdict, Verdict::kDoesNotFit);
    EXPECT_EQ(answer.reason, answers[0].reason);
  }
}

TEST(WhatIf, ANewNodeHasThePodsOfDaemonSetsFirst) {
  SimulatedWorld world(1);
  OfflineObjects objects = Cluster();
  api::apps_v1::DaemonSet agents;
  agents.metadata = {.name = "agents", .namespace_ = "default", .uid = "uid-agents"};
  objects.workloads.push_back(
      {.workload = {api::Object::Of(std::move(agents)), ""}, .pods_before = 1});
  const size_t before = objects.pods.size();
  ASSERT_TRUE(AddNodesLike(objects, "a", 1));
  EXPECT_EQ(AddDaemons(world.world(), objects, {"a"}, "").value(),
            std::vector<std::string>{"pod default/agents-a-more-0"});
  EXPECT_EQ(objects.pods.size(), before + 1);
  EXPECT_EQ(objects.pods.front().object.metadata().name, "agents-a-more-0");
  EXPECT_EQ(AddDaemons(world.world(), objects, {"a", "a-more-0"}, "").value(),
            std::vector<std::string>());
}

TEST(WhatIf, DaemonSetsHaveSoManyPodsOnNewNodes) {
  SimulatedWorld world(1);
  OfflineObjects objects = Cluster();
  api::apps_v1::DaemonSet agents;
  agents.metadata = {.name = "agents", .namespace_ = "default", .uid = "uid-agents"};
  objects.workloads.push_back(
      {.workload = {api::Object::Of(std::move(agents)), ""}, .pods_before = 1});
  ASSERT_TRUE(AddNodesLike(objects, "a", 3));
  const auto added = AddDaemons(world.world(), objects, {"a"}, "", /*pods_max=*/2);
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().message, "DaemonSets would have more than 2 pods on the new nodes");
  EXPECT_EQ(AddDaemons(world.world(), objects, {"a"}, "", /*pods_max=*/3)->size(), 3U);
}

TEST(WhatIf, ANewNodeHasAPodOfEachDaemonSetThatOnlyPodsTellOf) {
  SimulatedWorld world(1);
  OfflineObjects objects = Cluster();
  api::Object agent = objects.pods[1].object.Clone();
  auto& pod = agent.Mutable<core::Pod>();
  pod.metadata.owner_references = {{.kind = "DaemonSet", .name = "agents"}};
  pod.metadata.creation_timestamp = api::Time::FromUnixSeconds(1);
  auto& term = pod.spec.affinity.emplace()
                   .node_affinity.emplace()
                   .required_during_scheduling_ignored_during_execution.emplace()
                   .node_selector_terms.emplace_back();
  term.match_fields = {{.key = "metadata.name", .operator_ = "In", .values = {"a"}}};
  objects.pods[1].object = agent;
  ASSERT_TRUE(AddNodesLike(objects, "a", 1));
  EXPECT_EQ(AddDaemons(world.world(), objects, {"a"}, "a").value(),
            std::vector<std::string>{"pod default/agents-a-more-0"});
  const auto& added = objects.pods.front().object.As<core::Pod>();
  EXPECT_EQ(added.spec.node_name, "");
  EXPECT_TRUE(added.metadata.creation_timestamp.IsZero());
  EXPECT_EQ(added.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
                ->node_selector_terms[0]
                .match_fields[0]
                .values,
            std::vector<std::string>{"a-more-0"});
  // Another node is like one without such a pod.
  ASSERT_TRUE(AddNodesLike(objects, "a", 1));
  EXPECT_TRUE(AddDaemons(world.world(), objects, {"a", "a-more-0"}, "a-more-0")->empty());
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
  ASSERT_TRUE(AddNodesLike(objects, "a", 1).has_value());
  EXPECT_TRUE(objects.nodes.contains("a-more-2"));
  EXPECT_EQ(objects.slices.size(), 4U);
  EXPECT_TRUE(AddNodesLike(objects, "a", kCopiesMax).has_value());
  EXPECT_FALSE(AddNodesLike(objects, "a", kCopiesMax + 1).has_value());
  EXPECT_FALSE(AddNodesLike(objects, "b", 1).has_value());
}

TEST(WhatIf, TaintsOfNodesMakePodsGoThatDoNotTolerateThem) {
  OfflineObjects objects = Cluster();
  EXPECT_EQ(AddTaint(objects, "node/a=k:NoSchedule").value(), std::vector<std::string>());
  EXPECT_EQ(objects.nodes.at("a").As<core::Node>().spec.taints[0].key, "k");
  EXPECT_EQ(AddTaint(objects, "node/a=k=v:NoExecute").value(),
            std::vector<std::string>{"pod default/one"});
  EXPECT_EQ(objects.nodes.at("a").As<core::Node>().spec.taints[1].value, "v");
  EXPECT_FALSE(HasDevices(objects));
}

TEST(WhatIf, TaintsOfDevicesMakePodsGoWhoseClaimsDoNotTolerateThem) {
  OfflineObjects objects = Cluster();
  auto slice = std::make_shared<v1::ResourceSlice>(*objects.slices[0]);
  slice->spec.driver = "gpu";
  slice->spec.devices = {{.name = "gpu-0"}, {.name = "gpu-1"}};
  objects.slices[0] = slice;
  api::Object claim = objects.claims.at("default/gpu").object.Clone();
  auto& results = claim.Mutable<v1::ResourceClaim>().status.allocation->devices.results;
  results.push_back({.request = "r", .driver = "gpu", .pool = "a", .device = "gpu-0"});
  objects.claims.at("default/gpu").object = claim;
  EXPECT_EQ(AddTaint(objects, "device/gpu/a/gpu-1=k:NoExecute").value(),
            std::vector<std::string>());
  EXPECT_EQ(objects.slices[0]->spec.devices[0].taints.size(), 0U);
  EXPECT_EQ(objects.slices[0]->spec.devices[1].taints.size(), 1U);
  EXPECT_EQ(AddTaint(objects, "device/gpu=k:NoSchedule").value(), std::vector<std::string>());
  EXPECT_TRUE(HasDevices(objects));
  EXPECT_EQ(AddTaint(objects, "device/gpu/a=k:NoExecute").value(),
            std::vector<std::string>{"pod default/one"});
  EXPECT_FALSE(HasDevices(objects));
}

TEST(WhatIf, ATaintIsRefusedThatNothingHasOrThatReadsOtherwise) {
  OfflineObjects objects = Cluster();
  for (const std::string taint : {"node/b=k:NoSchedule",
                                  "device/none=k:NoSchedule",
                                  "device/=k:NoSchedule",
                                  "pod/one=k:NoSchedule",
                                  "node/a=k:Never",
                                  "node/a=:NoSchedule",
                                  "node/a:NoSchedule",
                                  "device/gpu=k:PreferNoSchedule",
                                  ""}) {
    EXPECT_FALSE(AddTaint(objects, taint).has_value()) << taint;
  }
}

TEST(WhatIf, PodsGoWhoseDevicesAnUpgradedDriverHasNoMore) {
  OfflineObjects objects = Cluster();
  api::Object claim = objects.claims.at("default/gpu").object.Clone();
  auto& results = claim.Mutable<v1::ResourceClaim>().status.allocation->devices.results;
  results.push_back({.request = "r", .driver = "gpu", .pool = "a", .device = "gpu-0"});
  objects.claims.at("default/gpu").object = claim;
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->metadata.name = "new";
  slice->spec.driver = "gpu";
  slice->spec.pool.name = "a";
  slice->spec.devices = {{.name = "gpu-0"}};
  EXPECT_EQ(UpgradeDriver(objects, {slice}).value(), std::vector<std::string>());
  EXPECT_EQ(objects.slices.size(), 2U);  // another driver's stays
  auto later = std::make_shared<v1::ResourceSlice>(*slice);
  later->spec.devices = {{.name = "gpu-00"}};
  EXPECT_EQ(UpgradeDriver(objects, {later}).value(), std::vector<std::string>{"pod default/one"});
  EXPECT_EQ(objects.slices.size(), 2U);
  EXPECT_FALSE(HasDevices(objects));
  EXPECT_FALSE(UpgradeDriver(objects, {}).has_value());
}

}  // namespace
}  // namespace dray::planning::inline whatif
