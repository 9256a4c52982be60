// SPDX-License-Identifier: Apache-2.0
// Preemption for groups of pods, and groups that are evicted as a whole, in the whole scheduler.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
using testing::Cluster;

class GroupPreemptingTest : public ::testing::Test {
 protected:
  Scheduler::Options Options() {
    Scheduler::Options options = cluster_.Options();
    options.pod_groups = true;
    return options;
  }
  void AddNode(const std::string& name, int64_t cpu) {
    cluster_.AddNode(name, 0);
    cluster_.SetProcessors(name, cpu);
  }
  void AddGroup(const std::string& name,
                int min_count,
                int32_t priority,
                const std::function<void(PodGroup&)>& change = {}) {
    PodGroup group;
    group.metadata.namespace_ = "lab";
    group.metadata.name = name;
    group.spec.scheduling_policy.gang.emplace().min_count = min_count;
    group.spec.priority = priority;
    if (change) change(group);
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(group))));
  }
  void AddPod(const std::string& name,
              int32_t priority,
              int64_t cpu,
              const std::string& group = {}) {
    cluster_.AddPodWithProcessors(name, priority, cpu, [&](core_v1::Pod& pod) {
      if (!group.empty()) pod.spec.scheduling_group.emplace().pod_group_name = group;
    });
  }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  std::string NodeOf(const std::string& pod) { return cluster_.Pod(pod).spec.node_name; }
  bool IsGoing(const std::string& pod) {
    return cluster_.Pod(pod).metadata.deletion_timestamp.has_value();
  }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), Options()};
};

TEST_F(GroupPreemptingTest, RoomForAGangIsMadeWhereverItGoes) {
  AddNode("a", 4);
  AddNode("b", 4);
  AddPod("low-1", 1, 3);
  AddPod("low-2", 1, 3);
  AddPod("small", 2, 1);
  Settle();
  AddGroup("team", 2, 10);
  AddPod("x", 10, 3, "team");
  AddPod("y", 10, 3, "team");
  Settle();
  EXPECT_EQ(cluster_.GroupCondition("team"),
            "False Unschedulable: minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, pod "
            "group preemption: found a placement for podgroup, preempting 2 victims");
  ASSERT_TRUE(IsGoing("low-1"));
  ASSERT_TRUE(IsGoing("low-2"));
  EXPECT_FALSE(IsGoing("small"));
  const core_v1::PodCondition reported = cluster_.Pod("low-1").status.conditions.back();
  EXPECT_EQ(reported.message,
            "default-scheduler: preempting to accommodate a higher priority podgroup");
  EXPECT_NE(cluster_.Pod("x").status.nominated_node_name,
            cluster_.Pod("y").status.nominated_node_name);
  Settle(15);  // they are still there, so no other pod is evicted
  EXPECT_FALSE(IsGoing("small"));
  cluster_.DeletePod("low-1");
  cluster_.DeletePod("low-2");
  Settle(15);
  EXPECT_NE(NodeOf("x"), "");
  EXPECT_NE(NodeOf("y"), "");
}

TEST_F(GroupPreemptingTest, NobodyGoesForAGangThatDoesNotFitEvenSo) {
  AddNode("a", 4);
  AddPod("low", 1, 3);
  Settle();
  AddGroup("team", 2, 10);
  AddPod("x", 10, 3, "team");
  AddPod("y", 10, 3, "team");
  Settle();
  EXPECT_EQ(cluster_.GroupCondition("team"),
            "False Unschedulable: minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, "
            "deallocation and deletion of ResourceClaims completed, pod group preemption: minCount "
            "(2) cannot be satisfied: 1 scheduled, 0 remaining");
  EXPECT_FALSE(IsGoing("low"));
}

TEST_F(GroupPreemptingTest, AGroupMayDeclineToPreempt) {
  AddNode("a", 4);
  AddPod("low", 1, 3);
  Settle();
  AddGroup("team", 1, 10, [](PodGroup& group) { group.spec.preemption_policy = "Never"; });
  AddPod("x", 10, 3, "team");
  Settle();
  EXPECT_FALSE(IsGoing("low"));
}

TEST_F(GroupPreemptingTest, AGroupThatIsDisruptedAsAWholeGoesAsAWhole) {
  for (const bool whole : {true, false}) {
    SCOPED_TRACE(whole);
    const std::string suffix = whole ? "-whole" : "-single";
    AddNode("a" + suffix, 4);
    AddNode("b" + suffix, 4);
    AddGroup("old" + suffix, 2, 1, [&](PodGroup& group) {
      if (whole) group.spec.disruption_mode.emplace().all.emplace();
    });
    AddPod("p" + suffix, 1, 3, "old" + suffix);
    AddPod("q" + suffix, 1, 3, "old" + suffix);
    Settle();
    ASSERT_NE(NodeOf("p" + suffix), "");
    AddPod("urgent" + suffix, 10, 3);
    Settle();
    EXPECT_EQ(IsGoing("p" + suffix) && IsGoing("q" + suffix), whole);
    EXPECT_TRUE(IsGoing("p" + suffix) || IsGoing("q" + suffix));
    for (const std::string pod : {"p", "q", "urgent"}) cluster_.DeletePod(pod + suffix);
    Settle(1);
    ASSERT_TRUE(
        cluster_.client.Delete({&api::Reflected<core_v1::Node>::kKind, "", "a" + suffix}, {}));
    ASSERT_TRUE(
        cluster_.client.Delete({&api::Reflected<core_v1::Node>::kKind, "", "b" + suffix}, {}));
  }
}

TEST_F(GroupPreemptingTest, APodIsAsImportantAsItsGroup) {
  AddNode("a", 4);
  AddGroup("kept", 1, 50);
  AddPod("member", 50, 3, "kept");
  Settle();
  AddPod("urgent", 10, 3);
  Settle();
  EXPECT_FALSE(IsGoing("member"));
}

}  // namespace
}  // namespace dray::scheduler
