// SPDX-License-Identifier: Apache-2.0
#include "api/core_v1/node.h"

#include <set>
#include <string>
#include <string_view>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/coordination_v1.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"
#include "node/pod_lifecycle.h"
#include "node/profile.h"
#include "node/simulated_nodes.h"

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Profile, EveryProfileHasDistinctDevicesWithCapacityAndTheSameEveryTime) {
  for (const std::string_view profile : Profiles()) {
    const SimulatedNode made = *MakeNode(profile, 3);
    EXPECT_EQ(made.node.metadata.name, std::string(profile) + "-3");
    EXPECT_GT(made.node.status.allocatable.at("memory").Value(), 0);
    std::set<std::string> uuids;
    for (const resource_v1::ResourceSlice& slice : made.slices) {
      EXPECT_EQ(slice.spec.pool.name, made.node.metadata.name);
      EXPECT_EQ(slice.spec.pool.resource_slice_count, 1);
      EXPECT_THAT(slice.spec.devices, SizeIs(8));
      for (const resource_v1::Device& device : slice.spec.devices) {
        for (const auto& [name, capacity] : device.capacity) EXPECT_FALSE(capacity.value.IsZero());
        const auto uuid = device.attributes.find("uuid");
        if (uuid != device.attributes.end()) EXPECT_TRUE(uuids.insert(*uuid->second.string).second);
      }
    }
    EXPECT_TRUE(made.slices == MakeNode(profile, 3)->slices);
    EXPECT_FALSE(made.slices == MakeNode(profile, 4)->slices);
  }
}

TEST(Profile, UnknownOneIsRefusedWithTheKnownOnes) {
  const auto made = MakeNode("toaster", 0);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "no node profile \"toaster\"; there are: 8-gpu-server, example");
}

class PodLifecycleTest : public ::testing::Test {
 protected:
  PodLifecycleTest() {
    pod_.metadata.namespace_ = "lab";
    pod_.metadata.name = "worker";
    pod_.metadata.uid = "uid-worker";
    api::core_v1::Container& container = pod_.spec.containers.emplace_back();
    container.name = "main";
    container.image = "acme/worker";
  }
  PodAction Next() {
    return NextAction(
        pod_,
        [this](std::string_view key) { return key == "lab/shared" ? claim_ : nullptr; },
        {.pod_ip = "10.128.0.1", .host_ip = "172.16.0.1", .now = api::Time::FromUnixSeconds(100)});
  }
  std::string Why() { return std::get<CannotStart>(Next()).why; }

  core_v1::Pod pod_;
  const api::Object* claim_ = nullptr;
};

TEST_F(PodLifecycleTest, StartsOnlyWithAllClaimsAllocatedAndReserved) {
  pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
  EXPECT_EQ(Why(), "claim shared not found");
  resource_v1::ResourceClaim claim;
  api::Object object = api::Object::Of(claim);
  claim_ = &object;
  EXPECT_EQ(Why(), "claim shared is not allocated");
  claim.status.allocation.emplace();
  object = api::Object::Of(claim);
  EXPECT_EQ(Why(), "claim shared is not reserved for the pod");
  claim.status.reserved_for.push_back({.resource = "pods", .uid = "uid-worker"});
  object = api::Object::Of(claim);
  const auto status = std::get<WriteStatus>(Next()).status;
  EXPECT_EQ(status.phase, "Running");
  EXPECT_EQ(status.pod_ip, "10.128.0.1");
  ASSERT_THAT(status.container_statuses, SizeIs(1));
  EXPECT_TRUE(status.container_statuses[0].ready);
}

TEST_F(PodLifecycleTest, AClaimThatIsKeptForTheGroupIsKeptForThePod) {
  pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
  resource_v1::ResourceClaim claim;
  claim.status.allocation.emplace();
  claim.status.reserved_for.push_back(
      {.api_group = "scheduling.k8s.io", .resource = "podgroups", .name = "team", .uid = "g"});
  const api::Object object = api::Object::Of(claim);
  claim_ = &object;
  EXPECT_EQ(Why(), "claim shared is not reserved for the pod");
  pod_.spec.scheduling_group.emplace().pod_group_name = "team";
  EXPECT_EQ(std::get<WriteStatus>(Next()).status.phase, "Running");
}

TEST_F(PodLifecycleTest, WaitsForTheClaimOfItsExtendedResources) {
  pod_.status.extended_resource_claim_status.emplace().resource_claim_name = "shared";
  EXPECT_EQ(Why(), "claim shared not found");
  resource_v1::ResourceClaim claim;
  claim.status.allocation.emplace();
  claim.status.reserved_for.push_back({.resource = "pods", .uid = "uid-worker"});
  const api::Object object = api::Object::Of(claim);
  claim_ = &object;
  EXPECT_EQ(std::get<WriteStatus>(Next()).status.phase, "Running");
}

TEST_F(PodLifecycleTest, RunsAsLongAsItsAnnotationSays) {
  pod_.status = std::get<WriteStatus>(Next()).status;
  EXPECT_TRUE(std::holds_alternative<Nothing>(Next()));
  pod_.metadata.annotations[kRunSecondsAnnotation] = "5";
  EXPECT_EQ(std::get<RequeueAt>(Next()).time, api::Time::FromUnixSeconds(105));
  pod_.metadata.annotations[kRunSecondsAnnotation] = "0";
  EXPECT_EQ(std::get<WriteStatus>(Next()).status.phase, "Succeeded");
  for (const char* bad : {"", "-1", "5s", "999999999999", "99999999999999999999"}) {
    pod_.metadata.annotations[kRunSecondsAnnotation] = bad;
    EXPECT_TRUE(std::holds_alternative<Nothing>(Next())) << bad;
  }
}

TEST_F(PodLifecycleTest, DeletedPodIsRemovedWhateverItsPhase) {
  pod_.metadata.deletion_timestamp = api::Time::FromUnixSeconds(90);
  EXPECT_TRUE(std::holds_alternative<Remove>(Next()));
  pod_.status.phase = "Succeeded";
  EXPECT_TRUE(std::holds_alternative<Remove>(Next()));
}

// A policy that refuses the nodes does not prevent the server from starting.
TEST(SimulatedNodes, TryAgainWhatIsRefused) {
  SimulatedWorld world(1);
  client::testing::MemoryClient client;
  std::set<std::string> missing;
  SimulatedNodes nodes(
      client,
      world.world(),
      Log::Silent(),
      {.publish = {.groups = {{"example", 2}},
                   .on_published = [&](const std::string& what, const Result<>& made) {
                     if (made.has_value()) {
                       missing.erase(what);
                     } else {
                       missing.insert(what + ": " + made.error().message);
                     }
                   }}});
  bool refuses = true;
  client.set_fault([&](auto verb, const client::ObjectRef& ref, auto) -> Result<> {
    const bool is_it = verb == client::testing::MemoryClient::Verb::kCreate &&
                       ref.kind == &api::Reflected<core_v1::Node>::kKind;
    return is_it && refuses ? Result<>(Fail(StatusReason::kForbidden, "no nodes")) : Result<>();
  });
  EXPECT_TRUE(nodes.Publish().has_value());
  EXPECT_THAT(missing, ElementsAre("Node example-0: no nodes", "Node example-1: no nodes"));
  const auto count = [&] {
    return client.List(api::Reflected<core_v1::Node>::kKind, {})->items.size();
  };
  nodes.Step();
  EXPECT_EQ(count(), 0U);
  refuses = false;
  world.clock().Advance(std::chrono::seconds(5));
  nodes.Step();
  EXPECT_EQ(count(), 2U);
  EXPECT_THAT(client.List(api::Reflected<resource_v1::ResourceSlice>::kKind, {})->items, SizeIs(2));
  EXPECT_FALSE(
      SimulatedNodes(client, world.world(), Log::Silent(), {.publish = {.groups = {{"none", 1}}}})
          .Publish()
          .has_value());
}

TEST(SimulatedNodes, PublishesOnceAndRunsPodsToTheirEnd) {
  SimulatedWorld world(1);
  client::testing::MemoryClient client;
  SimulatedNodes nodes(
      client,
      world.world(),
      Log::Silent(),
      {.publish = {.groups = {{"example", 2}}, .declared_features = {"Both", "Hands"}}});
  ASSERT_TRUE(nodes.Publish().has_value());
  ASSERT_TRUE(nodes.Publish().has_value());
  EXPECT_THAT(client.Get({&api::Reflected<core_v1::Node>::kKind, "", "example-1"})
                  ->As<core_v1::Node>()
                  .status.declared_features,
              ElementsAre("Both", "Hands"));
  EXPECT_THAT(client.List(api::Reflected<core_v1::Node>::kKind, {})->items, SizeIs(2));
  EXPECT_THAT(client.List(api::Reflected<resource_v1::ResourceSlice>::kKind, {})->items, SizeIs(2));

  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "worker";
  pod.metadata.annotations[kRunSecondsAnnotation] = "3";
  pod.spec.node_name = "example-1";
  const api::Object created = *client.Create(api::Object::Of(pod));
  pod.metadata.name = "elsewhere";
  pod.spec.node_name = "real-node";
  ASSERT_TRUE(client.Create(api::Object::Of(pod)).has_value());
  const auto phase = [&](const std::string& name) {
    return client.Get({&api::Reflected<core_v1::Pod>::kKind, "lab", name})
        ->As<core_v1::Pod>()
        .status.phase;
  };
  nodes.Step();
  EXPECT_EQ(phase("worker"), "Running");
  EXPECT_EQ(phase("elsewhere"), "");
  nodes.Step();
  world.clock().Advance(std::chrono::seconds(3));
  nodes.Step();
  EXPECT_EQ(phase("worker"), "Succeeded");
  ASSERT_TRUE(client.Delete(client::RefOf(created), {}).has_value());
  nodes.Step();
  EXPECT_FALSE(client.Get(client::RefOf(created)).has_value());
}

/// A node that a user created, and a pod on it.
class OthersNode : public ::testing::Test {
 protected:
  OthersNode() {
    core_v1::Node node;
    node.metadata.name = "written";
    node.metadata.creation_timestamp = Now();
    EXPECT_TRUE(client_.Create(api::Object::Of(node)).has_value());
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = "worker";
    pod.spec.node_name = "written";
    EXPECT_TRUE(client_.Create(api::Object::Of(pod)).has_value());
  }
  api::Time Now() { return api::Time::Of(world_.clock().Now()); }
  void Renew() {
    api::coordination_v1::Lease lease;
    lease.metadata.namespace_ = "kube-node-lease";
    lease.metadata.name = "written";
    lease.spec.renew_time = api::MicroTime::FromUnixMicros(Now().unix_seconds() * 1'000'000);
    EXPECT_TRUE(client_.Create(api::Object::Of(lease)).has_value());
  }
  void MarkDeleted() { EXPECT_TRUE(client_.Delete(worker_, {}).has_value()); }
  void RunFor(SimulatedNodes& nodes, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      nodes.Step();
      world_.clock().Advance(std::chrono::seconds(1));
    }
    nodes.Step();
  }
  std::string Phase() {
    const auto pod = client_.Get(worker_);
    return pod ? pod->As<core_v1::Pod>().status.phase : "gone";
  }

  const client::ObjectRef worker_{&api::Reflected<core_v1::Pod>::kKind, "lab", "worker"};
  SimulatedWorld world_{1};
  client::testing::MemoryClient client_;
};

TEST_F(OthersNode, IsRunUnlessAnAgentDoesIt) {
  SimulatedNodes nodes(client_, world_.world(), Log::Silent(), {});
  RunFor(nodes, 1);
  EXPECT_EQ(Phase(), "");  // an agent may come
  RunFor(nodes, 2);
  EXPECT_EQ(Phase(), "Running");
}

TEST_F(OthersNode, IsLeftToItsAgentWhileThatLives) {
  Renew();
  SimulatedNodes nodes(client_, world_.world(), Log::Silent(), {});
  RunFor(nodes, 10);
  EXPECT_EQ(Phase(), "");
  MarkDeleted();
  RunFor(nodes, 10);
  EXPECT_EQ(Phase(), "");
  RunFor(nodes, 30);  // the agent has fallen silent
  EXPECT_EQ(Phase(), "gone");
}

TEST_F(OthersNode, IsOnlyRidOfItsPodsWhereOnlyOwnOnesAreRun) {
  std::string log;
  SimulatedNodes nodes(client_,
                       world_.world(),
                       Log(world_.clock(), [&](std::string_view line) { log += line; }, {}),
                       {.publish = {}, .simulate = Simulate::kOwn});
  RunFor(nodes, 10);
  EXPECT_EQ(Phase(), "");
  EXPECT_THAT(
      log,
      HasSubstr(R"("some nodes have no agent that runs their pods" nodes=1 example="written")"));
  MarkDeleted();
  RunFor(nodes, 1);
  EXPECT_EQ(Phase(), "gone");
}

}  // namespace
}  // namespace dray::node
