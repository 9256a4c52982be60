// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/queued_pods.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/value/time.h"

namespace dray::planning::inline cluster {
namespace {

namespace core = api::core_v1;

/// A pod that waits; `created`: seconds since 1970, zero: no server has stored it.
PlacedObject Pod(const std::string& name, int32_t priority, int64_t created) {
  core::Pod pod;
  pod.metadata = {.name = name, .namespace_ = "default"};
  if (created > 0) pod.metadata.creation_timestamp = api::Time::FromUnixSeconds(created);
  pod.spec.priority = priority;
  return {.object = api::Object::Of(std::move(pod)), .place = ""};
}

std::vector<std::string> NamesOf(const std::vector<PlacedObject>& pods) {
  std::vector<std::string> names;
  names.reserve(pods.size());
  for (const PlacedObject& pod : pods) names.push_back(pod.object.metadata().name);
  return names;
}

TEST(QueuedPods, WaitForTheDefaultSchedulerAndAreNotTheWork) {
  OfflineObjects objects;
  objects.pods = {Pod("waits", 0, 1), Pod("work", 0, 0), Pod("runs", 0, 1), Pod("of-others", 0, 1)};
  api::Object runs = objects.pods[2].object.Clone();
  runs.Mutable<core::Pod>().spec.node_name = "a";
  objects.pods[2].object = runs;
  api::Object of_others = objects.pods[3].object.Clone();
  of_others.Mutable<core::Pod>().spec.scheduler_name = "volcano";
  objects.pods[3].object = of_others;
  EXPECT_EQ(QueuedPods(objects, {"pod default/work"}),
            (std::set<std::string>{"pod default/waits"}));
}

TEST(QueuedPods, GoByPriorityThenBeforeTheWorkAndTheOldestFirst) {
  std::vector<PlacedObject> pods = {Pod("urgent-work", 9, 0),
                                    Pod("work-b", 0, 0),
                                    Pod("work-a", 0, 0),
                                    Pod("not-stored", 0, 0),
                                    Pod("young", 0, 200),
                                    Pod("old", 0, 100),
                                    Pod("urgent", 9, 300),
                                    Pod("daemon", 0, 0)};
  PutInQueueOrder(
      {"pod default/daemon"},
      {"pod default/young", "pod default/old", "pod default/urgent", "pod default/not-stored"},
      pods);
  EXPECT_EQ(
      NamesOf(pods),
      (std::vector<std::string>{
          "daemon", "urgent", "urgent-work", "old", "young", "not-stored", "work-b", "work-a"}));
}

TEST(QueuedPods, ReportNamesThoseWhoseAnswerDiffers) {
  const std::vector<OfflineAnswer> before = {
      {.what = "pod default/stays", .place = "", .node = "a"},
      {.what = "pod default/loses", .place = "", .node = "a"},
      {.what = "pod default/gains", .place = "", .verdict = Verdict::kDoesNotFit},
      {.what = "pod default/waits", .place = "", .verdict = Verdict::kRefused},
      {.what = "pod default/given-up", .place = "", .node = "a"},
      {.what = "pod default/deleted", .place = "", .node = "b"}};
  const QueuedReport report = CompareQueued(
      before,
      {{.what = "pod default/stays", .place = "", .node = "b"},
       {.what = "pod default/loses",
        .place = "",
        .verdict = Verdict::kDoesNotFit,
        .reason = "full"},
       {.what = "pod default/gains", .place = "", .node = "c"},
       {.what = "pod default/waits", .place = "", .verdict = Verdict::kRefused},
       {.what = "pod default/given-up", .place = "", .verdict = Verdict::kUndecided}});
  EXPECT_EQ(report.pods, 5U);
  EXPECT_EQ(report.fit_before, 3U);
  EXPECT_EQ(report.fit_then, 2U);
  EXPECT_EQ(report.fit_both, 1U);
  EXPECT_EQ(report.wait_both, 1U);
  EXPECT_EQ(report.undecided, 1U);
  ASSERT_EQ(report.changes.size(), 2U);
  EXPECT_EQ(report.changes[0].then.reason, "full");
  EXPECT_EQ(report.changes[0].node_before, "a");
  EXPECT_EQ(report.changes[1].then.node, "c");
  EXPECT_EQ(report.changes[1].node_before, "");
}

}  // namespace
}  // namespace dray::planning::inline cluster
