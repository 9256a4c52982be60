// SPDX-License-Identifier: Apache-2.0
// Groups of pods in the whole scheduler, checked by its writes.
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/claims/pod_groups.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

using client::testing::MemoryClient;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GroupsTest : public ::testing::Test {
 protected:
  GroupsTest() { cluster_.AddClass(); }

  Scheduler::Options Options() {
    Scheduler::Options options = cluster_.Options();
    options.pod_groups = true;
    options.group_claims = true;
    return options;
  }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  std::string NodeOf(const std::string& pod) { return cluster_.Pod(pod).spec.node_name; }
  std::vector<std::string> Reserved(const std::string& claim) {
    std::vector<std::string> users;
    for (const auto& user : cluster_.Claim(claim).status.reserved_for) {
      users.push_back(user.resource + "/" + user.name);
    }
    return users;
  }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), Options()};
};

TEST_F(GroupsTest, PodsOfAGroupShareOneAllocationAndOneReservation) {
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("shared");
  cluster_.AddGroup("team", 0, {"shared"});
  for (const char* const name : {"a", "b", "c"}) cluster_.AddMember(name, "team", {"shared"});
  Settle();
  for (const char* const name : {"a", "b", "c"}) EXPECT_EQ(NodeOf(name), "n");
  EXPECT_THAT(Reserved("shared"), ElementsAre("podgroups/team"));
  EXPECT_EQ(cluster_.Claim("shared").status.reserved_for[0].uid,
            cluster_.Group("team").metadata.uid);
  EXPECT_EQ(cluster_.GroupCondition("team"), "True Scheduled: ");
  cluster_.AddMember("late", "team", {"shared"});
  Settle();
  EXPECT_EQ(NodeOf("late"), "n");
  EXPECT_THAT(Reserved("shared"), SizeIs(1));
}

TEST_F(GroupsTest, AClaimThatTheGroupDoesNotShareIsReservedForEachPod) {
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("own");
  cluster_.AddGroup("team", 2);
  cluster_.AddMember("a", "team", {"own"});
  cluster_.AddMember("b", "team", {"own"});
  Settle();
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_EQ(NodeOf("b"), "n");
  EXPECT_THAT(Reserved("own"), ::testing::UnorderedElementsAre("pods/a", "pods/b"));
}

TEST_F(GroupsTest, AClaimThatAllOfThemWriteIsTriedAsOftenAsItMayHaveUsers) {
  for (const int conflicts : {kClaimTriesMax - 1, kClaimTriesMax}) {
    Cluster cluster;
    Scheduler scheduler(cluster.client, cluster.world.world(), Log::Silent(), Options());
    cluster.AddClass();
    cluster.AddNode("n", 1);
    cluster.AddClaim("own");
    cluster.AddGroup("team", 2);
    cluster.AddMember("a", "team", {"own"});
    cluster.AddMember("b", "team", {"own"});
    int left = conflicts;
    cluster.client.set_fault(
        [&](MemoryClient::Verb verb, const client::ObjectRef& ref, std::string_view) -> Result<> {
          if (verb != MemoryClient::Verb::kUpdate || ref.name != "own" || left == 0) return {};
          --left;
          return Fail(StatusReason::kConflict, "another client was faster");
        });
    for (int i = 0; i < 20; ++i) scheduler.Step();
    const bool is_bound = !cluster.Pod("a").spec.node_name.empty();
    EXPECT_EQ(is_bound, conflicts < kClaimTriesMax);
    cluster.Settle(scheduler, 5);
    EXPECT_EQ(cluster.Pod("a").spec.node_name, "n");
  }
}

TEST_F(GroupsTest, PodsWaitForTheirGroupAndAGangForItsPods) {
  cluster_.AddNode("n", 2);
  cluster_.AddClaim("x");
  cluster_.AddClaim("y");
  cluster_.AddMember("a", "team", {"x"});
  Settle(5);
  EXPECT_EQ(NodeOf("a"), "");
  EXPECT_EQ(cluster_.Condition("a"), "");
  cluster_.AddGroup("team", 2);
  Settle(5);
  EXPECT_EQ(NodeOf("a"), "");
  EXPECT_EQ(cluster_.Condition("a"), "");
  EXPECT_EQ(cluster_.GroupCondition("team"), "");
  cluster_.AddMember("b", "team", {"y"});
  Settle();
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_EQ(NodeOf("b"), "n");
}

TEST_F(GroupsTest, AGangThatDoesNotFitTakesNothing) {
  cluster_.AddNode("n", 2);
  for (const char* const name : {"a", "b", "c"}) cluster_.AddClaim(name);
  cluster_.AddGroup("team", 3);
  for (const char* const name : {"a", "b", "c"}) cluster_.AddMember(name, "team", {name});
  Settle(3);
  const std::string message =
      "minCount (3) cannot be satisfied: 2 scheduled, 0 remaining, "
      "pod group preemption: No preemption victims found for incoming preemptor";
  EXPECT_EQ(cluster_.GroupCondition("team"), "False Unschedulable: " + message);
  for (const char* const name : {"a", "b"}) {
    EXPECT_EQ(cluster_.Condition(name),
              "False Unschedulable: pod group is unschedulable, " + message);
  }
  EXPECT_EQ(cluster_.Condition("c"),
            "False Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims.");
  for (const char* const name : {"a", "b", "c"}) {
    EXPECT_FALSE(cluster_.Claim(name).status.allocation.has_value());
    EXPECT_THAT(cluster_.Claim(name).metadata.finalizers, IsEmpty());
  }
  // The devices of the failed attempt are free.
  cluster_.AddClaim("other", 2);
  cluster_.AddPod("alone", {"other"});
  Settle();
  EXPECT_EQ(NodeOf("alone"), "n");
  cluster_.AddNode("more", 3);
  Settle(12);
  for (const char* const name : {"a", "b", "c"}) EXPECT_EQ(NodeOf(name), "more");
  EXPECT_EQ(cluster_.GroupCondition("team"), "True Scheduled: ");
}

TEST_F(GroupsTest, AGangThatFitsOnlyTogetherIsPlaced) {
  cluster_.AddNode("n", 0);
  api::resource_v1::ResourceSlice counters;
  counters.metadata.name = "counters";
  counters.spec.driver = "gpu.acme.example";
  counters.spec.node_name = "n";
  counters.spec.pool = {.name = "parts", .generation = 1, .resource_slice_count = 2};
  api::resource_v1::ResourceSlice devices = counters;
  devices.metadata.name = "devices";
  counters.spec.shared_counters.push_back({.name = "gpu"});
  counters.spec.shared_counters.back().counters["units"].value = api::Quantity::FromInt(2);
  for (const char* const name : {"whole", "half-0", "half-1"}) {
    api::resource_v1::DeviceCounterConsumption units{.counter_set = "gpu"};
    units.counters["units"].value =
        api::Quantity::FromInt(name == std::string_view("whole") ? 2 : 1);
    devices.spec.devices.push_back({.name = name});
    devices.spec.devices.back().consumes_counters.push_back(std::move(units));
  }
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(counters))));
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(devices))));
  cluster_.AddClaim("x");
  cluster_.AddClaim("y");
  cluster_.AddGroup("team", 2);
  cluster_.AddMember("a", "team", {"x"});
  cluster_.AddMember("b", "team", {"y"});
  Settle();
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_EQ(NodeOf("b"), "n");
  EXPECT_EQ(cluster_.Claim("x").status.allocation->devices.results[0].device, "half-0");
  EXPECT_EQ(cluster_.Claim("y").status.allocation->devices.results[0].device, "half-1");
}

/// A rule that keeps two pods from sharing a node.
class ApartTest : public GroupsTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void KeepApart(api::core_v1::Pod& pod) {
    if (GetParam() == std::string_view("port")) {
      api::core_v1::Container container;
      container.name = "main";
      container.ports.push_back({.host_port = 80, .container_port = 80});
      pod.spec.containers.push_back(std::move(container));
      return;
    }
    api::core_v1::PodAffinityTerm apart;
    apart.label_selector.emplace().match_labels["app"] = "web";
    apart.topology_key = "kubernetes.io/hostname";
    pod.metadata.labels["app"] = "web";
    pod.spec.affinity.emplace()
        .pod_anti_affinity.emplace()
        .required_during_scheduling_ignored_during_execution.push_back(std::move(apart));
  }
};

TEST_P(ApartTest, PodsOfOneAttemptKeepRulesAboutEachOther) {
  cluster_.AddNode("m", 0);
  cluster_.AddGroup("team", 2);
  for (const char* const name : {"a", "b"}) {
    api::core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.scheduling_group.emplace().pod_group_name = "team";
    KeepApart(pod);
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(pod))));
  }
  Settle(3);
  EXPECT_EQ(NodeOf("a"), "");
  EXPECT_EQ(NodeOf("b"), "");
  cluster_.AddNode("n", 0);
  Settle(12);
  EXPECT_NE(NodeOf("a"), "");
  EXPECT_NE(NodeOf("b"), "");
  EXPECT_NE(NodeOf("a"), NodeOf("b"));
}

INSTANTIATE_TEST_SUITE_P(Rules, ApartTest, ::testing::Values("port", "affinity"));

TEST_F(GroupsTest, PodsThatAreNotLookedAtAreToldHowFarItWent) {
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("big", 2);
  cluster_.AddClaim("small");
  cluster_.AddGroup("team", 2);
  cluster_.AddMember("a", "team", {"big"});
  cluster_.AddMember("b", "team", {"small"});
  Settle(3);
  EXPECT_EQ(cluster_.Condition("a"),
            "False Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims.");
  EXPECT_EQ(cluster_.Condition("b"),
            "False Unschedulable: minCount (2) cannot be satisfied: 0 scheduled, 1 remaining");
}

TEST_F(GroupsTest, OfAGroupThatIsNoGangThoseGoThatFit) {
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("x");
  cluster_.AddClaim("y");
  cluster_.AddGroup("team", 0);
  cluster_.AddMember("a", "team", {"x"});
  cluster_.AddMember("b", "team", {"y"});
  Settle(5);
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_EQ(NodeOf("b"), "");
  EXPECT_EQ(cluster_.Condition("b"),
            "False Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims.");
  EXPECT_EQ(cluster_.GroupCondition("team"), "True Scheduled: ");
}

TEST_F(GroupsTest, PodsThatDifferInPriorityAreNoGroup) {
  cluster_.AddNode("n", 1);
  cluster_.AddGroup("team", 0);
  api::core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "a";
  pod.spec.scheduling_group.emplace().pod_group_name = "team";
  pod.spec.priority = 7;
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(pod))));
  Settle(3);
  const std::string message =
      "False SchedulerError: all pods in a single pod group should have the same priority as the "
      "pod group's priority, got 7 and 0";
  EXPECT_EQ(cluster_.Condition("a"), message);
  EXPECT_EQ(cluster_.GroupCondition("team"), message);
}

TEST_F(GroupsTest, ARefusedMemberComesAgainAndTheGroupKeepsItsClaim) {
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("shared");
  cluster_.AddGroup("team", 2, {"shared"});
  cluster_.AddMember("a", "team", {"shared"});
  cluster_.AddMember("b", "team", {"shared"});
  bool refuses = true;
  cluster_.client.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef& ref, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kBind || ref.name != "a" || !refuses) return {};
        return Fail(StatusReason::kForbidden, "no");
      });
  Settle();
  EXPECT_EQ(NodeOf("a"), "");
  EXPECT_EQ(NodeOf("b"), "n");
  EXPECT_THAT(Reserved("shared"), ElementsAre("podgroups/team"));
  refuses = false;
  Settle(5);
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_THAT(Reserved("shared"), ElementsAre("podgroups/team"));
}

TEST_F(GroupsTest, AFirstWriteThatIsRefusedLeavesTheDevicesToTheOtherPod) {
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("shared");
  cluster_.AddGroup("team", 2, {"shared"});
  cluster_.AddMember("a", "team", {"shared"});
  cluster_.AddMember("b", "team", {"shared"});
  int refused = 0;
  cluster_.client.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef& ref, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kUpdate || ref.name != "shared" || refused > 0) return {};
        ++refused;
        // No other pod gets the devices that the second pod is about to write.
        cluster_.AddPod("alone", {"other"});
        return Fail(StatusReason::kForbidden, "no");
      });
  cluster_.AddClaim("other");
  Settle(5);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_EQ(NodeOf("b"), "n");
  EXPECT_EQ(NodeOf("alone"), "");
}

TEST_F(GroupsTest, AnAllocationOfNoUseIsGivenUpWhileNobodyIsScheduled) {
  cluster_.AddNode("m", 1);
  cluster_.AddClaim("shared");
  cluster_.AddGroup("team", 1, {"shared"});
  api::Object claim =
      cluster_.client
          .Get({&api::Reflected<api::resource_v1::ResourceClaim>::kKind, "lab", "shared"})
          ->Clone();
  auto& status = claim.Mutable<api::resource_v1::ResourceClaim>().status;
  auto& allocation = status.allocation.emplace();
  allocation.devices.results.push_back(
      {.request = "gpu", .driver = "gpu.acme.example", .pool = "gone", .device = "gpu-0"});
  api::core_v1::NodeSelectorTerm term;
  term.match_fields.push_back({.key = "metadata.name", .operator_ = "In", .values = {"gone"}});
  allocation.node_selector.emplace().node_selector_terms.push_back(std::move(term));
  status.reserved_for = {api::claims::ConsumerOf(cluster_.Group("team"))};
  Cluster::Must(cluster_.client.Update(claim, "status"));
  cluster_.AddMember("a", "team", {"shared"});
  Settle(5);
  EXPECT_EQ(NodeOf("a"), "m");
  EXPECT_THAT(Reserved("shared"), ElementsAre("podgroups/team"));
}

TEST_F(GroupsTest, AClaimOfAnotherOwnerKeepsTheGangWaiting) {
  cluster_.AddNode("n", 2);
  api::resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "made";
  claim.metadata.owner_references = {{.api_version = "scheduling.k8s.io/v1beta1",
                                      .kind = "PodGroup",
                                      .name = "others",
                                      .uid = "u",
                                      .controller = true}};
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(claim))));
  cluster_.AddGroup("team", 1);
  api::core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "a";
  pod.spec.scheduling_group.emplace().pod_group_name = "team";
  pod.spec.resource_claims = {{.name = "g", .resource_claim_template_name = "one"}};
  pod.status.resource_claim_statuses = {{.name = "g", .resource_claim_name = "made"}};
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(pod))));
  Settle(5);
  EXPECT_EQ(NodeOf("a"), "");
  EXPECT_EQ(cluster_.Condition("a"), "");
}

TEST_F(GroupsTest, WithoutTheFeatureAPodIsAlone) {
  Scheduler plain(cluster_.client, cluster_.world.world(), Log::Silent(), cluster_.Options());
  cluster_.AddNode("n", 1);
  cluster_.AddClaim("shared");
  cluster_.AddMember("a", "team", {"shared"});
  cluster_.Settle(plain);
  EXPECT_EQ(NodeOf("a"), "n");
  EXPECT_THAT(Reserved("shared"), ElementsAre("pods/a"));
}

}  // namespace
}  // namespace dray::scheduler
