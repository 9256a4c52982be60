// SPDX-License-Identifier: Apache-2.0
// Pods whose extended resources are served by device classes (KEP-5004), in the whole scheduler.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "client/read_modify_write.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;
using resource_v1::ResourceClaim;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kGpu = "acme.example/gpu";

class ExtendedTest : public ::testing::Test {
 protected:
  void AddClass() {
    resource_v1::DeviceClass gpu;
    gpu.metadata.name = "gpu";
    gpu.spec.extended_resource_name = kGpu;
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(gpu))));
  }
  /// Adds a node with devices, and GPUs of a device plugin.
  void AddNode(const std::string& name, int devices, std::optional<int> of_plugin = {}) {
    cluster_.AddNode(name, devices);
    api::Object copy =
        cluster_.client.Get({&api::Reflected<core_v1::Node>::kKind, "", name})->Clone();
    auto& allocatable = copy.Mutable<core_v1::Node>().status.allocatable;
    allocatable["pods"] = api::Quantity::FromInt(110);
    if (of_plugin) allocatable[kGpu] = api::Quantity::FromInt(*of_plugin);
    Cluster::Must(cluster_.client.Update(copy, "status"));
  }
  void AddPod(const std::string& name,
              int64_t gpus,
              const std::vector<std::string>& claims = {},
              const std::string& resource = kGpu) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    for (const std::string& claim : claims) {
      pod.spec.resource_claims.push_back({.name = "use-" + claim, .resource_claim_name = claim});
    }
    core_v1::Container container;
    container.name = "main";
    container.resources.requests[resource] = api::Quantity::FromInt(gpus);
    pod.spec.containers.push_back(std::move(container));
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(pod))));
  }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  std::vector<ResourceClaim> Claims() {
    std::vector<ResourceClaim> claims;
    const auto listed =
        cluster_.client.List(api::Reflected<ResourceClaim>::kKind, client::ListOptions{});
    for (const api::Object& object : listed->items) claims.push_back(object.As<ResourceClaim>());
    return claims;
  }
  std::string NodeOf(const std::string& pod) { return cluster_.Pod(pod).spec.node_name; }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), cluster_.Options()};
};

TEST_F(ExtendedTest, TheClaimIsMadeAllocatedShownAndThenThePodIsBound) {
  AddClass();
  AddNode("a", 2);
  AddPod("worker", 2);
  const auto before = static_cast<std::ptrdiff_t>(cluster_.client.journal().size());
  Settle();
  const std::vector<ResourceClaim> claims = Claims();
  ASSERT_THAT(claims, SizeIs(1));
  const std::string name = claims[0].metadata.name;
  const auto& journal = cluster_.client.journal();
  EXPECT_THAT(std::vector<std::string>(journal.begin() + before, journal.begin() + before + 5),
              ElementsAre("create resourceclaims lab/" + name,
                          "update resourceclaims lab/" + name,
                          "update resourceclaims/status lab/" + name,
                          "update pods/status lab/worker",
                          "update pods/binding lab/worker"));
  EXPECT_THAT(claims[0].status.allocation->devices.results, SizeIs(2));
  EXPECT_EQ(claims[0].status.reserved_for[0].name, "worker");
  const auto shown = cluster_.Pod("worker").status.extended_resource_claim_status;
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(shown->resource_claim_name, name);
  EXPECT_EQ(shown->request_mappings[0].request_name, "container-0-request-0");
}

TEST_F(ExtendedTest, ANodesOwnResourceComesFirst) {
  AddClass();
  AddNode("a", 1, 1);
  AddPod("plugin", 1);
  Settle();
  EXPECT_EQ(NodeOf("plugin"), "a");
  EXPECT_THAT(Claims(), IsEmpty());
  AddPod("more", 1);  // not from devices while the plugin has any
  Settle();
  EXPECT_THAT(cluster_.Condition("more"), HasSubstr("1 Insufficient acme.example/gpu"));
  AddNode("b", 1, 0);
  Settle(2);
  EXPECT_EQ(NodeOf("more"), "b");
  EXPECT_THAT(Claims(), SizeIs(1));
}

TEST_F(ExtendedTest, OtherClaimsAreServedFirst) {
  AddClass();
  AddNode("a", 2);
  cluster_.AddClaim("named");
  AddPod("worker", 1, {"named"});
  Settle();
  EXPECT_EQ(NodeOf("worker"), "a");
  EXPECT_EQ(cluster_.Claim("named").status.allocation->devices.results[0].device, "gpu-0");
  EXPECT_THAT(Claims(), SizeIs(2));
}

TEST_F(ExtendedTest, AClaimBesideAPluginNeedsNoSecondOne) {
  AddClass();
  AddNode("a", 1, 1);
  cluster_.AddClaim("named");
  AddPod("worker", 1, {"named"});
  Settle();
  EXPECT_EQ(NodeOf("worker"), "a");
  EXPECT_THAT(Claims(), SizeIs(1));
}

TEST_F(ExtendedTest, NoDeviceTwice) {
  AddClass();
  AddNode("a", 1);
  AddPod("one", 1);
  AddPod("two", 1);
  Settle(5);
  EXPECT_EQ(NodeOf("one"), "a");
  EXPECT_EQ(NodeOf("two"), "");
  EXPECT_THAT(cluster_.Condition("two"), HasSubstr("1 cannot allocate all claims"));
  EXPECT_THAT(Claims(), SizeIs(1));
}

TEST_F(ExtendedTest, AClassThatComesLaterWakesThePod) {
  AddNode("a", 2);
  AddPod("named", 1);
  AddPod("implied", 1, {}, "deviceclass.resource.kubernetes.io/gpu");
  Settle();
  EXPECT_THAT(cluster_.Condition("named"), HasSubstr("1 Insufficient acme.example/gpu"));
  EXPECT_THAT(cluster_.Condition("implied"),
              HasSubstr("1 Insufficient deviceclass.resource.kubernetes.io/gpu"));
  AddClass();
  Settle(2);
  EXPECT_EQ(NodeOf("named"), "a");
  EXPECT_EQ(NodeOf("implied"), "a");
}

TEST_F(ExtendedTest, WhatARefusedPodHadGoes) {
  AddClass();
  AddNode("a", 1);
  cluster_.client.set_fault(
      [](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kBind) return {};
        return dray::Fail(StatusReason::kForbidden, "no");
      });
  AddPod("worker", 1);
  Settle();
  EXPECT_THAT(cluster_.Condition("worker"), HasSubstr("running Bind plugin"));
  EXPECT_THAT(Claims(), IsEmpty());
  cluster_.client.set_fault(nullptr);
  Settle(3);
  EXPECT_EQ(NodeOf("worker"), "a");
  EXPECT_THAT(Claims(), SizeIs(1));
}

TEST_F(ExtendedTest, TheClaimOfASchedulerThatDiedIsReplaced) {
  AddClass();
  AddNode("a", 1);
  cluster_.client.set_fault(
      [](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        // Binding fails, and so does the cleanup, as after a crash.
        const bool is_late =
            verb == MemoryClient::Verb::kBind || verb == MemoryClient::Verb::kDelete;
        return is_late ? dray::Fail(StatusReason::kForbidden, "no") : Result<>();
      });
  AddPod("worker", 1);
  Settle();
  ASSERT_THAT(Claims(), SizeIs(1));
  const std::string left_over = Claims()[0].metadata.uid;
  scheduler_.Stop();
  cluster_.client.set_fault(nullptr);
  Scheduler::Options options = cluster_.Options();
  options.configuration.queue.pops_from_backoff = false;  // else the condition is gone at once
  Scheduler next(cluster_.client, cluster_.world.world(), Log::Silent(), std::move(options));
  cluster_.Settle(next);
  EXPECT_EQ(cluster_.Condition("worker"),
            "False Unschedulable: 0/1 nodes are available: 1 cannot schedule extended resource "
            "claim. deletion of ResourceClaim completed, preemption: 0/1 nodes are available: 1 "
            "Preemption is not helpful for scheduling.");
  cluster_.Settle(next, 2);
  EXPECT_EQ(NodeOf("worker"), "a");
  ASSERT_THAT(Claims(), SizeIs(1));
  EXPECT_NE(Claims()[0].metadata.uid, left_over);
}

TEST_F(ExtendedTest, WhereTheReleaseHasNoSuchThingNodesMustHaveIt) {
  scheduler_.Stop();
  Scheduler::Options options = cluster_.Options();
  options.extended_resources = false;
  Scheduler plain(cluster_.client, cluster_.world.world(), Log::Silent(), std::move(options));
  AddClass();
  AddNode("a", 1);
  AddPod("worker", 1);
  cluster_.Settle(plain);
  EXPECT_THAT(cluster_.Condition("worker"), HasSubstr("1 Insufficient acme.example/gpu"));
}

}  // namespace
}  // namespace dray::scheduler
