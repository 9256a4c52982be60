// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/pod_groups.h"

#include <string>

#include <gtest/gtest.h>

#include "api/claims/pod_groups.h"
#include "client/testing/memory_client.h"
#include "scheduler/reports/group_writes.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

TEST(PodGroups, AGangNeedsItsMinCountAndOthersOne) {
  PodGroup group;
  EXPECT_EQ(MinCountOf(group), 1);
  group.spec.scheduling_policy.gang.emplace().min_count = 4;
  EXPECT_EQ(MinCountOf(group), 4);
}

TEST(PodGroups, ProgressIsSaid) {
  GroupProgress progress{.min_count = 3, .scheduled = 1, .remaining = 2};
  EXPECT_FALSE(progress.IsHopeless());
  progress.remaining = 1;
  EXPECT_TRUE(progress.IsHopeless());
  EXPECT_EQ(MessageOf(progress), "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining");
}

TEST(PodGroups, PodsMustAgree) {
  PodGroup group;
  core_v1::Pod first;
  core_v1::Pod second;
  const auto why_not = [&] {
    const core_v1::Pod* const pods[] = {&first, &second};
    return WhyNotAGroup(group, pods);
  };
  EXPECT_EQ(why_not(), "");
  second.spec.preemption_policy = "PreemptLowerPriority";
  EXPECT_EQ(why_not(), "") << "that is what it is if nothing is said";
  second.spec.preemption_policy = "Never";
  EXPECT_EQ(why_not(),
            "all pods in a single pod group should have the same preemption policy, got Never and "
            "PreemptLowerPriority");
  second = {};
  second.spec.scheduler_name = "mine";
  EXPECT_EQ(why_not(),
            "all pods in a single pod group should have the same .spec.schedulerName set, got: "
            "\"mine\" and \"\"");
  second = {};
  group.spec.priority = 3;
  EXPECT_EQ(why_not(),
            "all pods in a single pod group should have the same priority as the pod group's "
            "priority, got 0 and 3");
}

TEST(PodGroups, OlderPodsGoFirst) {
  api::meta_v1::ObjectMeta one{.name = "a"};
  api::meta_v1::ObjectMeta other{.name = "b"};
  EXPECT_TRUE(GoesBefore(one, other));
  EXPECT_FALSE(GoesBefore(other, one));
  one.creation_timestamp = api::Time::FromUnixSeconds(5);
  other.creation_timestamp = api::Time::FromUnixSeconds(4);
  EXPECT_TRUE(GoesBefore(other, one));
}

TEST(PodGroups, TheConditionDoesNotGoBack) {
  client::testing::MemoryClient client;
  PodGroup made;
  made.metadata.namespace_ = "lab";
  made.metadata.name = "team";
  const api::Object group = *client.Create(api::Object::Of(std::move(made)));
  const auto report = [&](bool is_scheduled, const std::string& reason) {
    const auto written =
        ReportGroup(client,
                    group,
                    {.is_scheduled = is_scheduled, .reason = reason, .message = {}},
                    api::Time::FromUnixSeconds(9));
    const auto& condition = written->As<PodGroup>().status.conditions[0];
    return condition.status + " " + condition.reason;
  };
  EXPECT_EQ(report(false, "Unschedulable"), "False Unschedulable");
  EXPECT_EQ(report(true, "Scheduled"), "True Scheduled");
  EXPECT_EQ(report(false, "SchedulerError"), "True Scheduled");
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
