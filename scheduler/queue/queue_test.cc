// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue/queue.h"

#include <gtest/gtest.h>

namespace dray::scheduler::inline queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const MonotonicTime kQueueStart{seconds(1000)};

TEST(SchedulingQueue, HighestPriorityFirstThenLongestWaiting) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Add("b", 0, kQueueStart);
  queue.Add("urgent", 10, kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), "urgent");
  EXPECT_EQ(queue.Pop(kQueueStart), "a");
  EXPECT_EQ(queue.Pop(kQueueStart), "b");
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
}

TEST(SchedulingQueue, UnschedulablePodWaitsForItsEventOnly) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddUnschedulable(
      "a", {.events = {ClusterEvent::kDevices}, .claims = {"lab/gpu"}}, kQueueStart);
  const MonotonicTime later = kQueueStart + seconds(5);
  queue.MoveOnEvent(ClusterEvent::kNodes, later);
  queue.MoveOnClaimChange("lab/other", later);
  EXPECT_EQ(queue.Pop(later), std::nullopt);
  queue.MoveOnEvent(ClusterEvent::kDevices, later);
  EXPECT_EQ(queue.Pop(later), "a");
}

TEST(SchedulingQueue, WokenPodStillBacksOffInReleasesBefore133) {
  SchedulingQueue queue({.pops_from_backoff = false});
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddUnschedulable("a", {.events = {}, .claims = {"lab/gpu"}}, kQueueStart);
  queue.MoveOnClaimChange("lab/gpu", kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
  EXPECT_EQ(queue.Next(kQueueStart), kQueueStart + seconds(1));
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(1)), "a");
}

// A pod that was tried in vain, and then moved by an event.
void AddWoken(SchedulingQueue& queue,
              const std::string& pod,
              int32_t priority,
              MonotonicTime now,
              const std::string& share = {}) {
  queue.Add(pod, priority, now, share);
  ASSERT_EQ(queue.Pop(now), pod);
  queue.AddUnschedulable(pod, {.events = {}, .claims = {"lab/gpu"}}, now);
  queue.MoveOnClaimChange("lab/gpu", now);
  ASSERT_EQ(queue.sizes().backoff, queue.size());
}

TEST(SchedulingQueue, WokenPodIsTriedBeforeItsTimeIfNoOtherIsActive) {
  SchedulingQueue queue;
  AddWoken(queue, "woken", 10, kQueueStart);
  EXPECT_EQ(queue.Next(kQueueStart), kQueueStart);
  queue.Add("new", 0, kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), "new");
  EXPECT_EQ(queue.Pop(kQueueStart), "woken");
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
  EXPECT_EQ(queue.StoryOf("woken").attempts, 2);
  EXPECT_EQ(queue.sizes().backoff, 0U);
}

TEST(SchedulingQueue, WokenPodsComeByTheSecondInWhichTheirBackOffEnds) {
  SchedulingQueue queue({.backoff_initial = seconds(2)});
  AddWoken(queue, "later", 9, kQueueStart + seconds(1));
  queue.Remove("later");
  queue.Add("first", 0, kQueueStart);
  queue.Add("second", 0, kQueueStart);
  queue.Add("urgent", 5, kQueueStart);
  queue.Add("later", 9, kQueueStart);
  const std::pair<const char*, int> ends[] = {
      {"later", 1000}, {"urgent", 999}, {"first", 900}, {"second", 0}};
  for (const auto& [pod, milliseconds] : ends) {
    const MonotonicTime now = kQueueStart + std::chrono::milliseconds(milliseconds);
    ASSERT_EQ(queue.Pop(now), pod);
    queue.AddUnschedulable(pod, {.events = {}, .claims = {"lab/gpu"}}, now);
  }
  queue.MoveOnClaimChange("lab/gpu", kQueueStart);
  for (const char* pod : {"urgent", "first", "second", "later"}) {
    EXPECT_EQ(queue.Pop(kQueueStart), pod);
  }
}

TEST(SchedulingQueue, FailedPodsAndThoseAsideWaitOutTheirTime) {
  SchedulingQueue queue;
  queue.Add("failed", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddBackoff("failed", kQueueStart);
  queue.Add("aside", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.PutAside("aside", {}, kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
  EXPECT_EQ(queue.Next(kQueueStart), kQueueStart + seconds(1));
}

TEST(SchedulingQueue, WokenPodOfAShareThatRestsWaitsForIt) {
  SchedulingQueue queue;
  AddWoken(queue, "woken", 0, kQueueStart, "tenant");
  queue.Add("hard", 0, kQueueStart, "tenant");
  ASSERT_EQ(queue.Pop(kQueueStart), "hard");
  queue.PutAside("hard", seconds(9), kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(8)), std::nullopt);
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(9)), "woken");
}

TEST(SchedulingQueue, WokenPodThatIsRemovedIsNotTaken) {
  SchedulingQueue queue;
  AddWoken(queue, "woken", 0, kQueueStart);
  queue.Remove("woken");
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
  EXPECT_EQ(queue.Next(kQueueStart), std::nullopt);
}

TEST(SchedulingQueue, GatedPodPaysNoBackOff) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.Gate("a", {.events = {}, .claims = {"lab/gpu"}}, kQueueStart);
  queue.MoveOnClaimChange("lab/gpu", kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), "a");
}

TEST(SchedulingQueue, BackOffDoublesUpToTheLongest) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  MonotonicTime now = kQueueStart;
  for (const int delay : {1, 2, 4, 8, 10, 10}) {
    ASSERT_EQ(queue.Pop(now), "a");
    queue.AddBackoff("a", now);
    EXPECT_EQ(queue.Next(now), now + seconds(delay));
    now += seconds(delay);
  }
}

TEST(SchedulingQueue, UnschedulableAttemptEndsARowOfFailures) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddBackoff("a", kQueueStart);
  queue.Pop(kQueueStart + seconds(1));
  queue.AddBackoff("a", kQueueStart + seconds(1));
  MonotonicTime now = kQueueStart + seconds(3);
  ASSERT_EQ(queue.Pop(now), "a");
  queue.AddUnschedulable("a", {.events = {ClusterEvent::kNodes}, .claims = {}}, now);
  now += seconds(60);
  queue.MoveOnEvent(ClusterEvent::kNodes, now);
  ASSERT_EQ(queue.Pop(now), "a");
  queue.AddBackoff("a", now);
  EXPECT_EQ(queue.Next(now), now + seconds(1));
}

TEST(SchedulingQueue, PodBeingTriedIsNotAddedTwice) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.Add("a", 0, kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), std::nullopt);
}

TEST(SchedulingQueue, ForgottenPodIsTriedAgainAfterAWhile) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddUnschedulable("a", {.events = {ClusterEvent::kNodes}, .claims = {}}, kQueueStart);
  EXPECT_EQ(queue.Next(kQueueStart), kQueueStart + minutes(5));
  EXPECT_EQ(queue.Pop(kQueueStart + minutes(5)), "a");
}

TEST(SchedulingQueue, RemovedPodIsGoneFromEverywhere) {
  SchedulingQueue queue;
  queue.Add("ready", 0, kQueueStart);
  queue.Add("tried", 1, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddUnschedulable(
      "tried", {.events = {ClusterEvent::kNodes}, .claims = {"lab/gpu"}}, kQueueStart);
  queue.Remove("ready");
  queue.Remove("tried");
  queue.Remove("unknown");
  queue.MoveOnEvent(ClusterEvent::kNodes, kQueueStart + seconds(9));
  queue.MoveOnClaimChange("lab/gpu", kQueueStart + seconds(9));
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(9)), std::nullopt);
  EXPECT_EQ(queue.Next(kQueueStart), std::nullopt);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(SchedulingQueue, KnowsHowManyWaitForWhat) {
  SchedulingQueue queue;
  for (const char* name : {"a", "b", "c", "d"}) queue.Add(name, 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddUnschedulable("a", {.events = {ClusterEvent::kNodes}, .claims = {}}, kQueueStart);
  queue.Pop(kQueueStart);
  queue.Gate("b", {.events = {}, .claims = {"lab/gpu"}}, kQueueStart);
  queue.Pop(kQueueStart);
  queue.AddBackoff("c", kQueueStart);
  const QueueSizes sizes = queue.sizes();
  EXPECT_EQ(sizes.active, 1U);
  EXPECT_EQ(sizes.backoff, 1U);
  EXPECT_EQ(sizes.unschedulable, 1U);
  EXPECT_EQ(sizes.gated, 1U);
  queue.MoveOnClaimChange("lab/gpu", kQueueStart);
  EXPECT_EQ(queue.sizes().gated, 0U);
  EXPECT_EQ(queue.sizes().active, 2U);
}

TEST(SchedulingQueue, RemembersWhatBecameOfAPod) {
  SchedulingQueue queue;
  queue.Add("a", 0, kQueueStart);
  queue.Pop(kQueueStart);
  queue.Gate("a", {.events = {}, .claims = {"lab/gpu"}}, kQueueStart);
  EXPECT_EQ(queue.StoryOf("a").attempts, 0);  // it was not tried yet
  queue.MoveOnClaimChange("lab/gpu", kQueueStart);
  queue.Pop(kQueueStart + seconds(1));
  queue.AddBackoff("a", kQueueStart + seconds(1));
  queue.Pop(kQueueStart + seconds(3));
  const QueueStory story = queue.StoryOf("a");
  EXPECT_EQ(story.attempts, 2);
  EXPECT_EQ(story.came, kQueueStart);
  EXPECT_EQ(story.tried, kQueueStart + seconds(3));
  EXPECT_EQ(queue.StoryOf("unknown").attempts, 0);
}

TEST(SchedulingQueue, WhatTakesTooMuchIsPutAsideTwiceAsLongEachTime) {
  SchedulingQueue queue;
  queue.Add("hard", 0, kQueueStart);
  MonotonicTime now = kQueueStart;
  for (const int wanted : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    ASSERT_EQ(queue.Pop(now), "hard") << wanted;
    EXPECT_EQ(queue.PutAside("hard", seconds(0), now), seconds(wanted));
    queue.MoveOnEvent(ClusterEvent::kDevices, now);
    queue.Add("hard", 0, now);  // a change of its own does not end the time aside
    EXPECT_EQ(queue.Pop(now + seconds(wanted) - seconds(1)), std::nullopt);
    now += seconds(wanted);
  }
  EXPECT_EQ(queue.TimesAside("hard"), 11);
  queue.Remove("hard");
  EXPECT_EQ(queue.TimesAside("hard"), 0);
}

TEST(SchedulingQueue, OthersOfTheShareRestAndNobodyElse) {
  SchedulingQueue queue;
  queue.Add("hard", 0, kQueueStart, "tenant");
  queue.Add("hard too", 0, kQueueStart, "tenant");
  queue.Add("light", 0, kQueueStart);
  queue.Add("of others", 0, kQueueStart, "others");
  ASSERT_EQ(queue.Pop(kQueueStart), "hard");
  queue.PutAside("hard", seconds(10), kQueueStart);
  EXPECT_EQ(queue.Pop(kQueueStart), "light");
  EXPECT_EQ(queue.Pop(kQueueStart), "of others");
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(9)), std::nullopt) << "hard waits with its share";
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(10)), "hard too");
  EXPECT_EQ(queue.Pop(kQueueStart + seconds(10)), "hard") << "after the others";
}

}  // namespace
}  // namespace dray::scheduler::inline queue
