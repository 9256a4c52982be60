// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/scheduler_metrics.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/registry.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline reports {
namespace {

using ::testing::HasSubstr;

class SchedulerMetricsTest : public ::testing::Test {
 protected:
  SchedulerMetricsTest() { cluster_.AddClass(); }
  Scheduler::Options Counting() {
    Scheduler::Options options = cluster_.Options();
    options.metrics = &metrics_;
    return options;
  }
  void Settle() {
    for (int i = 0; i < 20; ++i) {
      scheduler_.Step();
      cluster_.world.clock().Advance(std::chrono::milliseconds(100));
    }
  }

  metrics::Registry registry_;
  SchedulerMetrics metrics_{registry_};
  testing::Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), Counting()};
};

TEST_F(SchedulerMetricsTest, AttemptsAreCountedByTheirEnd) {
  cluster_.AddNode("a", 1);
  for (const char* name : {"first", "second"}) {
    cluster_.AddClaim(name);
    cluster_.AddPod(name, {name});
    Settle();
  }
  cluster_.AddPod("gated", {"missing"});
  Settle();
  const std::string text = registry_.Text();
  const std::string of = "{profile=\"default-scheduler\",result=";
  EXPECT_THAT(text, HasSubstr("scheduler_schedule_attempts_total" + of + "\"scheduled\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_schedule_attempts_total" + of + "\"unschedulable\"} 1\n"));
  EXPECT_THAT(
      text,
      HasSubstr("scheduler_scheduling_attempt_duration_seconds_count" + of + "\"scheduled\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_scheduling_algorithm_duration_seconds_count 2\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_pod_scheduling_attempts_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_preemption_attempts_total 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_pending_pods{queue=\"unschedulable\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_pending_pods{queue=\"gated\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_cache_size{type=\"nodes\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("scheduler_cache_size{type=\"pods\"} 3\n"));
}

TEST_F(SchedulerMetricsTest, ManyAttemptsAreOneSeries) {
  metrics_.CountScheduled(14, 1);
  metrics_.CountScheduled(15, 1);
  metrics_.CountScheduled(200, 1);
  const std::string text = registry_.Text();
  EXPECT_THAT(
      text, HasSubstr("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"14\"} 1\n"));
  EXPECT_THAT(
      text, HasSubstr("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"15+\"} 2\n"));
}

}  // namespace
}  // namespace dray::scheduler::inline reports
