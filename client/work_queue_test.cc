// SPDX-License-Identifier: Apache-2.0
#include "client/work_queue.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/queue_metrics.h"
#include "metrics/registry.h"

namespace dray::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const MonotonicTime kStart{seconds(100)};

TEST(WorkQueue, KeepsAKeyOnceAndInOrder) {
  WorkQueue queue;
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_TRUE(queue.Add("b"));
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.Pop(kStart), "a");
  EXPECT_TRUE(queue.Add("a"));  // added while it is being handled: comes again
  EXPECT_EQ(queue.Pop(kStart), "b");
  EXPECT_EQ(queue.Pop(kStart), "a");
  EXPECT_EQ(queue.Pop(kStart), std::nullopt);
}

TEST(WorkQueue, DelayedKeyBecomesReadyInTime) {
  WorkQueue queue;
  EXPECT_TRUE(queue.AddAt("a", kStart + seconds(2)));
  EXPECT_TRUE(queue.AddAt("a", kStart + seconds(1)));
  EXPECT_TRUE(queue.AddAt("a", kStart + seconds(3)));
  EXPECT_EQ(queue.Next(kStart), kStart + seconds(1));
  EXPECT_EQ(queue.Pop(kStart), std::nullopt);
  EXPECT_EQ(queue.Pop(kStart + seconds(1)), "a");
  EXPECT_EQ(queue.Next(kStart), std::nullopt);
}

TEST(WorkQueue, AddOvertakesADelay) {
  WorkQueue queue;
  EXPECT_TRUE(queue.AddAt("a", kStart + seconds(1)));
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_EQ(queue.Pop(kStart), "a");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(WorkQueue, FailuresDoubleTheDelayUpToTheLongest) {
  WorkQueue queue({.base_delay = milliseconds(5), .max_delay = milliseconds(30)});
  for (const int delay : {5, 10, 20, 30, 30}) {
    EXPECT_TRUE(queue.AddRateLimited("a", kStart));
    EXPECT_EQ(queue.Next(kStart), kStart + milliseconds(delay));
    EXPECT_EQ(queue.Pop(kStart + seconds(1)), "a");
  }
  queue.Forget("a");
  EXPECT_TRUE(queue.AddRateLimited("a", kStart));
  EXPECT_EQ(queue.Next(kStart), kStart + milliseconds(5));
}

TEST(WorkQueue, RefusesKeysPastItsBound) {
  WorkQueue queue({.keys_max = 2});
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_TRUE(queue.AddAt("b", kStart));
  EXPECT_FALSE(queue.Add("c"));
  EXPECT_FALSE(queue.AddAt("c", kStart));
  EXPECT_TRUE(queue.Add("b"));
}

TEST(WorkQueue, IsCountedByName) {
  metrics::Registry registry;
  WorkQueue queue;
  queue.CountIn(MakeQueueMetrics(registry, "claims"));
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_TRUE(queue.Add("a"));
  EXPECT_TRUE(queue.Add("b"));
  EXPECT_EQ(queue.Pop(kStart), "a");
  EXPECT_TRUE(queue.AddRateLimited("a", kStart));
  queue.ObserveWork(milliseconds(5));
  const std::string text = registry.Text();
  EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"claims\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"claims\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_retries_total{name=\"claims\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("workqueue_work_duration_seconds_bucket{name=\"claims\",le=\"0.01\"} 1\n"));
}

}  // namespace
}  // namespace dray::client
