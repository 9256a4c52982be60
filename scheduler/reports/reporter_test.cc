// SPDX-License-Identifier: Apache-2.0
// Decisions do not wait for reports, and reports of one namespace do not wait for those of others.
#include "scheduler/reports/reporter.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/event.h"
#include "api/core_v1/pod.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline reports {
namespace {

namespace core_v1 = api::core_v1;
using testing::Cluster;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReporterTest : public ::testing::Test {
 protected:
  ReporterTest() {
    cluster_.AddClass();
    cluster_.AddNode("a", 2);
  }

  static core_v1::Pod Misfit(const std::string& namespace_, const std::string& name) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = namespace_;
    pod.metadata.name = name;
    pod.spec.node_selector["no"] = "such";
    return pod;
  }
  void AddMisfits(const std::string& namespace_, int count) {
    for (int i = 0; i < count; ++i) {
      Cluster::Must(
          cluster_.client.Create(api::Object::Of(Misfit(namespace_, fmt::format("m{}", i)))));
    }
  }
  size_t EventsStored() {
    return cluster_.client.List(api::Reflected<core_v1::Event>::kKind, {})->items.size();
  }

  std::string ConditionIn(const std::string& namespace_) {
    const auto pod = cluster_.client.Get({&api::Reflected<core_v1::Pod>::kKind, namespace_, "m0"});
    const auto& conditions = pod->As<core_v1::Pod>().status.conditions;
    return conditions.empty() ? "" : fmt::format(": {}", conditions[0].message);
  }

  Cluster cluster_;
};

TEST_F(ReporterTest, APodThatComesWhileOthersAreTriedIsNext) {
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), cluster_.Options());
  AddMisfits("crowd", 40);
  scheduler.Step();
  cluster_.AddPod("light", {});
  scheduler.Step();
  EXPECT_EQ(cluster_.Pod("light").spec.node_name, "a");
}

TEST_F(ReporterTest, NothingIsWrittenOnTheThreadThatDecides) {
  Scheduler::Options options = cluster_.Options();
  options.reports_elsewhere = true;
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), options);
  AddMisfits("lab", 3);
  const size_t before = cluster_.client.journal().size();
  cluster_.Settle(scheduler);
  EXPECT_THAT(cluster_.client.journal(), SizeIs(before));
  EXPECT_THAT(cluster_.Condition("m0"), IsEmpty());
}

TEST_F(ReporterTest, AnotherThreadWritesConditionsAndEvents) {
  Reporter reporter(
      cluster_.client, cluster_.world.world(), Log::Silent(), Reporter::Place::kElsewhere);
  AddMisfits("lab", 1);
  const auto pod = cluster_.client.Get({&api::Reflected<core_v1::Pod>::kKind, "lab", "m0"});
  reporter.Enqueue(*pod, {.reason = "Unschedulable", .message = "first", .nomination = "n"});
  reporter.Enqueue(*pod, {.reason = "Unschedulable", .message = "second", .nomination = {}});
  reporter.Record(*pod, {.reason = "FailedScheduling", .message = "first"});
  EXPECT_TRUE(reporter.WriteSome());
  EXPECT_EQ(EventsStored(), 1U);
  EXPECT_THAT(cluster_.Condition("m0"), HasSubstr("second"));
  EXPECT_THAT(cluster_.Pod("m0").status.nominated_node_name, IsEmpty());
}

TEST_F(ReporterTest, ALineThatIsFullDropsItsOwnReportsOnly) {
  Reporter reporter(
      cluster_.client, cluster_.world.world(), Log::Silent(), Reporter::Place::kElsewhere);
  AddMisfits("crowd", 1);
  AddMisfits("lab", 1);
  const auto pod_of = [&](const char* name) {
    return *cluster_.client.Get({&api::Reflected<core_v1::Pod>::kKind, name, "m0"});
  };
  for (size_t i = 0; i <= 2 * Reporter::kLineMax; ++i) {
    reporter.Enqueue(pod_of("crowd"), {.reason = "Unschedulable", .message = fmt::format("{}", i)});
  }
  reporter.Enqueue(pod_of("lab"), {.reason = "Unschedulable", .message = "of lab"});
  reporter.Record(pod_of("lab"), {.reason = "FailedScheduling", .message = "last of lab"});
  EXPECT_TRUE(reporter.WriteSome());
  EXPECT_THAT(ConditionIn("lab"), HasSubstr("of lab"));
  EXPECT_EQ(EventsStored(), 1U) << "lines take turns";
  while (reporter.WriteSome()) {
  }
  EXPECT_THAT(ConditionIn("crowd"), HasSubstr(fmt::format(": {}", Reporter::kLineMax - 1)));
}

}  // namespace
}  // namespace dray::scheduler::inline reports
