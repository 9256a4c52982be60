// SPDX-License-Identifier: Apache-2.0
// Classic claims that the scheduler of 1.30 allocates itself, over a server in memory.
#include "scheduler/classic/structured_parameters.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "client/testing/memory_client.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline classic {
namespace {

namespace classic = api::resource_v1alpha2;
using client::testing::MemoryClient;
using Fate = MemoryClient::Fate;
using testing::Cluster;
using ::testing::HasSubstr;

/// A node of one instance, a class, and two claims for one instance each.
class StructuredParametersTest : public ::testing::Test {
 protected:
  StructuredParametersTest() {
    cluster_.AddNode("a", 0);
    classic::ResourceClass gpu;
    gpu.metadata.name = "gpu";
    gpu.driver_name = "gpu.example.com";
    gpu.structured_parameters = true;
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(gpu))));
    AddSlice("a", 1);
    AddClaim("first");
    AddClaim("second");
  }

  void AddSlice(const std::string& node, int instances) {
    classic::ResourceSlice slice;
    slice.metadata.name = node;
    slice.node_name = node;
    slice.driver_name = "gpu.example.com";
    auto& named = slice.resource_model.named_resources.emplace();
    for (int i = 0; i < instances; ++i) {
      named.instances.emplace_back().name = fmt::format("gpu-{}", i);
    }
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(slice))));
  }
  void AddClaim(const std::string& name) {
    classic::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.spec.resource_class_name = "gpu";
    claim.spec.allocation_mode = "WaitForFirstConsumer";
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(claim))));
  }
  classic::ResourceClaim Claim(const std::string& name) {
    return cluster_.client.Get({&api::Reflected<classic::ResourceClaim>::kKind, "lab", name})
        ->As<classic::ResourceClaim>();
  }
  std::string NodeOf(const std::string& pod) { return cluster_.Pod(pod).spec.node_name; }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  Scheduler::Options Options() {
    Scheduler::Options options = cluster_.Options();
    options.classic = ClassicClaims::kAll;
    return options;
  }
  static bool IsAllocation(MemoryClient::Verb verb,
                           const client::ObjectRef& ref,
                           std::string_view subresource) {
    return verb == MemoryClient::Verb::kUpdate && subresource == "status" &&
           ref.kind == &api::Reflected<classic::ResourceClaim>::kKind;
  }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), Options()};
};

TEST_F(StructuredParametersTest, AllocateAndReserveInOneUpdateAfterTheFinalizer) {
  cluster_.AddPod("first", {"first"});
  Settle();
  EXPECT_EQ(NodeOf("first"), "a");
  const classic::ResourceClaim claim = Claim("first");
  EXPECT_EQ(claim.status.driver_name, "gpu.example.com");
  ASSERT_TRUE(claim.status.allocation);
  ASSERT_EQ(claim.status.reserved_for.size(), 1U);
  EXPECT_EQ(claim.status.reserved_for[0].name, "first");
  EXPECT_THAT(claim.metadata.finalizers, ::testing::ElementsAre("dra.k8s.io/delete-protection"));
  std::vector<std::string> writes;
  for (const std::string& line : cluster_.client.journal()) {
    if (line.starts_with("update resourceclaims")) writes.push_back(line);
  }
  EXPECT_THAT(writes,
              ::testing::ElementsAre("update resourceclaims lab/first",
                                     "update resourceclaims/status lab/first"));
}

TEST_F(StructuredParametersTest, AnInstanceServesOneClaimUntilItIsFree) {
  cluster_.AddPod("first", {"first"});
  Settle();
  cluster_.AddPod("second", {"second"});
  Settle(2);
  EXPECT_EQ(NodeOf("second"), "");
  EXPECT_THAT(cluster_.Condition("second"), HasSubstr("cannot be allocated for the node"));
  cluster_.DeletePod("first");
  api::Object copy =
      cluster_.client.Get({&api::Reflected<classic::ResourceClaim>::kKind, "lab", "first"})
          ->Clone();
  copy.Mutable<classic::ResourceClaim>().status = {};
  Cluster::Must(cluster_.client.Update(copy, "status"));
  Settle(2);
  EXPECT_EQ(NodeOf("second"), "a");
}

TEST_F(StructuredParametersTest, OnePodsClaimsGetDifferentInstances) {
  cluster_.AddPod("both", {"first", "second"});
  Settle(2);
  EXPECT_EQ(NodeOf("both"), "") << "upstream gives both the same one";
  cluster_.AddNode("b", 0);
  AddSlice("b", 2);
  Settle(2);
  EXPECT_EQ(NodeOf("both"), "b");
  EXPECT_NE(Claim("first").status.allocation, Claim("second").status.allocation);
}

TEST_F(StructuredParametersTest, WhatIsNotAnsweredKeepsItsInstance) {
  for (const Fate fate : {Fate::kAnswerLost, Fate::kDelayed}) {
    SCOPED_TRACE(static_cast<int>(fate));
    cluster_.client.HoldBackEvents();
    cluster_.client.set_fate([&](auto verb, const auto& ref, auto subresource) {
      return IsAllocation(verb, ref, subresource) && ref.name == "first" ? fate : Fate::kAnswered;
    });
    cluster_.AddPod("first", {"first"});
    cluster_.AddPod("second", {"second"});
    cluster_.client.LetGo();
    cluster_.client.HoldBackEvents();
    Settle(5);
    EXPECT_EQ(NodeOf("second"), "") << "the instance may be the first claim's";
    cluster_.client.set_fate(nullptr);
    cluster_.client.LetGo();
    Settle(12);
    EXPECT_EQ(NodeOf("first"), "a");
    cluster_.client.CarryOutDelayed();
    Settle(2);
    EXPECT_EQ(NodeOf("second"), "");
    EXPECT_FALSE(Claim("second").status.allocation);
    for (const std::string name : {"first", "second"}) {
      cluster_.DeletePod(name);
      api::Object copy =
          cluster_.client.Get({&api::Reflected<classic::ResourceClaim>::kKind, "lab", name})
              ->Clone();
      copy.Mutable<classic::ResourceClaim>().status = {};
      Cluster::Must(cluster_.client.Update(copy, "status"));
    }
    Settle(2);
  }
}

TEST_F(StructuredParametersTest, OthersChangesOfTheClaimAreNoObstacle) {
  bool changed = false;
  cluster_.client.set_fault([&](auto verb, const auto& ref, auto subresource) -> Result<> {
    if (!IsAllocation(verb, ref, subresource) || changed) return {};
    changed = true;  // a user labels the claim just before the write
    api::Object copy = cluster_.client.Get(ref)->Clone();
    copy.mutable_metadata().labels["seen"] = "yes";
    Cluster::Must(cluster_.client.Update(copy, {}));
    return {};
  });
  cluster_.AddPod("first", {"first"});
  Settle();
  EXPECT_TRUE(changed);
  EXPECT_EQ(NodeOf("first"), "a");
}

TEST_F(StructuredParametersTest, ParametersAreFoundByWhatTheyWereGeneratedFrom) {
  classic::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "third";
  claim.spec.resource_class_name = "gpu";
  auto& reference = claim.spec.parameters_ref.emplace();
  reference = {.api_group = "gpu.example.com", .kind = "GpuWish", .name = "wish"};
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(claim))));
  cluster_.AddPod("third", {"third"});
  Settle();
  EXPECT_THAT(
      cluster_.Condition("third"),
      HasSubstr("generated claim parameters for GpuWish.gpu.example.com lab/wish not found"));
  for (const std::string name : {"other", "wish"}) {
    classic::ResourceClaimParameters parameters;
    parameters.metadata.namespace_ = "lab";
    parameters.metadata.name = "of-" + name;
    parameters.generated_from.emplace() = {
        .api_group = "gpu.example.com", .kind = "GpuWish", .name = name};
    auto& requests = parameters.driver_requests.emplace_back();
    requests.driver_name = "gpu.example.com";
    requests.requests.emplace_back().resource_request_model.named_resources.emplace().selector =
        "true";
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(parameters))));
    Settle(2);
    EXPECT_EQ(NodeOf("third"), name == "wish" ? "a" : "");
  }
  EXPECT_FALSE(Claim("third").status.allocation->shareable);
}

}  // namespace
}  // namespace dray::scheduler::inline classic
