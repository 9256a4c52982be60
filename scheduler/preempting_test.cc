// SPDX-License-Identifier: Apache-2.0
// Preemption in the whole scheduler.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/policy_v1.h"
#include "api/resource_v1/claim.h"
#include "client/read_modify_write.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
using testing::Cluster;
using ::testing::HasSubstr;

class PreemptingTest : public ::testing::Test {
 protected:
  PreemptingTest() { cluster_.AddClass(); }
  void AddNode(const std::string& name, int64_t cpu, int devices = 0) {
    cluster_.AddNode(name, devices);
    cluster_.SetProcessors(name, cpu);
  }
  void AddPod(const std::string& name,
              int32_t priority,
              int64_t cpu,
              const std::string& claim = {},
              const std::function<void(core_v1::Pod&)>& change = {}) {
    cluster_.AddPodWithProcessors(name, priority, cpu, [&](core_v1::Pod& pod) {
      if (!claim.empty()) pod.spec.resource_claims = {{.name = "c", .resource_claim_name = claim}};
      if (change) change(pod);
    });
  }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  std::string NodeOf(const std::string& pod) { return cluster_.Pod(pod).spec.node_name; }
  bool IsGoing(const std::string& pod) {
    return cluster_.Pod(pod).metadata.deletion_timestamp.has_value();
  }
  /// Finishes the deletion of the pod.
  void LetGo(const std::string& pod) { cluster_.DeletePod(pod); }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), cluster_.Options()};
};

TEST_F(PreemptingTest, TheVictimIsToldAndDeletedAndThePodTakesItsPlace) {
  AddNode("a", 4);
  AddPod("low", 1, 3);
  Settle();
  AddPod("urgent", 10, 2);
  Settle(5);  // the victim is still there, so no other pod is evicted
  EXPECT_EQ(cluster_.Condition("urgent"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: found a "
            "potential placement for pod on node a, preempting 1 victims");
  EXPECT_EQ(cluster_.Pod("urgent").status.nominated_node_name, "a");
  ASSERT_TRUE(IsGoing("low"));
  const core_v1::PodCondition reported = cluster_.Pod("low").status.conditions.back();
  EXPECT_EQ(reported.type, "DisruptionTarget");
  EXPECT_EQ(reported.reason, "PreemptionByScheduler");
  EXPECT_EQ(reported.message, "default-scheduler: preempting to accommodate a higher priority pod");
  LetGo("low");
  Settle(2);
  EXPECT_EQ(NodeOf("urgent"), "a");
}

TEST_F(PreemptingTest, ThePlaceIsKeptFromLessImportantPods) {
  AddNode("a", 4);
  AddPod("low", 1, 4);
  Settle();
  AddPod("urgent", 10, 4);
  Settle();
  AddPod("lower", 2, 1);
  LetGo("low");
  Settle(5);
  EXPECT_EQ(NodeOf("urgent"), "a");
  EXPECT_EQ(NodeOf("lower"), "");
}

TEST_F(PreemptingTest, WhileAVictimGoesNobodyElseDoes) {
  AddNode("a", 4);
  AddPod("low", 1, 2);
  AddPod("lower", 0, 2);
  Settle();
  AddPod("urgent", 10, 2);
  Settle();
  EXPECT_TRUE(IsGoing("lower"));
  cluster_.AddNode("empty-of-devices", 0);  // wakes the pod for another attempt
  api::Object copy =
      cluster_.client.Get({&api::Reflected<core_v1::Node>::kKind, "", "empty-of-devices"})->Clone();
  copy.Mutable<core_v1::Node>().spec.unschedulable = true;
  Cluster::Must(cluster_.client.Update(copy, {}));
  Settle(15);
  EXPECT_FALSE(IsGoing("low"));
}

TEST_F(PreemptingTest, WhoMayNotPreemptWaits) {
  AddNode("a", 4);
  AddPod("low", 1, 3);
  Settle();
  AddPod("polite", 10, 2, {}, [](core_v1::Pod& pod) { pod.spec.preemption_policy = "Never"; });
  Settle();
  EXPECT_EQ(cluster_.Condition("polite"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: not "
            "eligible due to preemptionPolicy=Never.");
  EXPECT_FALSE(IsGoing("low"));
}

TEST_F(PreemptingTest, PodsGoWhereABudgetAllowsIt) {
  AddNode("a", 4);
  AddNode("b", 4);
  const auto labelled = [](const std::string& app) {
    return [app](core_v1::Pod& pod) { pod.metadata.labels["app"] = app; };
  };
  AddPod("kept", 1, 4, {}, labelled("kept"));
  Settle();
  AddPod("free", 5, 4, {}, labelled("free"));
  Settle();
  api::policy_v1::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "lab";
  budget.metadata.name = "kept";
  budget.spec.selector.emplace().match_labels["app"] = "kept";
  Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(budget))));
  AddPod("urgent", 10, 2);
  Settle();
  EXPECT_TRUE(IsGoing("free"));
  EXPECT_FALSE(IsGoing("kept"));
}

TEST_F(PreemptingTest, RulesAboutOtherPodsForgetThoseWhoGo) {
  AddNode("a", 4);
  AddPod("low", 1, 1, {}, [](core_v1::Pod& pod) { pod.metadata.labels["app"] = "noisy"; });
  Settle();
  AddPod("urgent", 10, 1, {}, [](core_v1::Pod& pod) {
    core_v1::PodAffinityTerm term;
    term.topology_key = "kubernetes.io/hostname";
    term.label_selector.emplace().match_labels["app"] = "noisy";
    pod.spec.affinity.emplace()
        .pod_anti_affinity.emplace()
        .required_during_scheduling_ignored_during_execution.push_back(std::move(term));
  });
  Settle();
  ASSERT_TRUE(IsGoing("low"));
  LetGo("low");
  Settle(2);
  EXPECT_EQ(NodeOf("urgent"), "a");
}

TEST_F(PreemptingTest, AndSoDoPortsOfTheNode) {
  AddNode("a", 4);
  const auto with_port = [](core_v1::Pod& pod) {
    pod.spec.containers[0].ports.push_back(
        {.host_port = 80, .container_port = 80, .protocol = "TCP"});
  };
  AddPod("low", 1, 1, {}, with_port);
  AddPod("other", 0, 1);
  Settle();
  AddPod("urgent", 10, 1, {}, with_port);
  Settle();
  EXPECT_TRUE(IsGoing("low"));
  EXPECT_FALSE(IsGoing("other"));
}

TEST_F(PreemptingTest, NobodyGoesIfDevicesAreShortToo) {
  AddNode("a", 4, 1);
  cluster_.AddClaim("held");
  cluster_.AddClaim("wanted");
  AddPod("low", 1, 3, "held");
  Settle();
  AddPod("urgent", 10, 2, "wanted");
  Settle();
  EXPECT_EQ(cluster_.Condition("urgent"),
            "False Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 "
            "nodes are available: 1 cannot allocate all claims.");
  EXPECT_FALSE(IsGoing("low"));
}

TEST_F(PreemptingTest, DevicesAloneMakeNobodyGo) {
  AddNode("a", 4, 1);
  cluster_.AddClaim("held");
  cluster_.AddClaim("wanted");
  AddPod("low", 1, 1, "held");
  Settle();
  AddPod("urgent", 10, 1, "wanted");
  Settle();
  EXPECT_THAT(cluster_.Condition("urgent"),
              HasSubstr("1 Preemption is not helpful for scheduling"));
  EXPECT_FALSE(IsGoing("low"));
}

}  // namespace
}  // namespace dray::scheduler
