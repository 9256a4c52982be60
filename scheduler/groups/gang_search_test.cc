// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/gang_search.h"

#include <string>
#include <variant>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/testing/gang_world.h"

namespace dray::scheduler::inline groups {
namespace {

using testing::GangWorld;

TEST(SearchGang, UpstreamsExampleFits) {
  // kubernetes/kubernetes#138765: the first pod takes the whole device, though a half would do.
  GangWorld world;
  world.AddNode(1, 8);
  world.AddMember("a", {"1 gpu"});
  world.AddMember("b", {"1 gpu"});
  EXPECT_EQ(world.PlaceAlone(2).kind, GroupOutcome::Kind::kUnschedulable);
  const GroupOutcome outcome = world.Place(2);
  ASSERT_EQ(outcome.kind, GroupOutcome::Kind::kScheduled);
  EXPECT_EQ(outcome.chosen.at("uid-a-claim").devices.results[0].device, "gpu-0a");
  EXPECT_EQ(outcome.chosen.at("uid-b-claim").devices.results[0].device, "gpu-0b");
  EXPECT_FALSE(world.is_anything_held());
}

TEST(SearchGang, AnEarlierPodMakesWayOnAnotherNode) {
  GangWorld world;
  world.AddNode(1, 8);
  world.AddNode(0, 8);
  world.AddNetwork(1);
  world.AddMember("a", {"1 any"});  // takes the other's device: pools are sorted by name
  world.AddMember("b", {"1 net"});
  EXPECT_EQ(world.Place(2).kind, GroupOutcome::Kind::kScheduled);
}

TEST(SearchGang, ADeviceOfAllNodesIsLeftToWhoNeedsIt) {
  GangWorld world;
  world.AddNode(1, 1);
  world.AddNode(0, 1);
  world.AddNetwork(1);
  world.AddMember("a", {"1 any"}, 1);
  world.AddMember("b", {"1 any"}, 1);
  EXPECT_EQ(world.Place(2).kind, GroupOutcome::Kind::kScheduled);
}

TEST(SearchGang, ASharedClaimIsWhereAllItsPodsAre) {
  GangWorld world;
  world.AddNode(1, 1);
  world.AddNode(1, 2);
  world.AddShared("both", "1 half");
  world.AddMember("a", {"=both"}, 1);
  world.AddMember("b", {"=both"}, 1);
  const GroupOutcome outcome = world.Place(2);
  ASSERT_EQ(outcome.kind, GroupOutcome::Kind::kScheduled);
  EXPECT_EQ(outcome.chosen.at("uid-both").devices.results[0].pool, "node-1");
}

// The first two have the same requests, but only the second may be with the third.
TEST(SearchGang, PodsWithOtherLabelsAreNotAlike) {
  GangWorld world;
  world.AddNode(1, 2);
  world.AddNode(1, 1);
  world.AddMember("a", {"1 half"}, 1, {.is = "loud"});
  world.AddMember("b", {"1 half"}, 1, {.is = "quiet"});
  world.AddMember("c", {"1 gpu"}, 1, {.avoids = "loud"});
  EXPECT_EQ(world.Place(3).kind, GroupOutcome::Kind::kScheduled);
}

TEST(SearchGang, WhatToleratesAllTaintsMakesWayToo) {
  for (const char* const greedy : {"1 any", "1 any!"}) {
    GangWorld world;
    world.AddNode(1, 1);
    world.AddNode(0, 1);
    world.AddNetwork(1);
    world.AddMember("a", {greedy}, 1);
    world.AddMember("b", {"1 net"}, 1);
    EXPECT_EQ(world.Place(2).kind, GroupOutcome::Kind::kScheduled) << greedy;
  }
}

TEST(SearchGang, PodsBeyondMinCountGoAlongIfTheyCan) {
  GangWorld world;
  world.AddNode(1, 8);
  for (const char* const name : {"a", "b", "c"}) world.AddMember(name, {"1 gpu"});
  world.AddMember("d", {});
  const GroupOutcome outcome = world.Place(2);
  ASSERT_EQ(outcome.kind, GroupOutcome::Kind::kScheduled);
  EXPECT_TRUE(std::holds_alternative<Unschedulable>(*outcome.decisions[2]));
  EXPECT_TRUE(std::holds_alternative<Placement>(*outcome.decisions[3]));
}

TEST(SearchGang, AsksNoMoreThanItMay) {
  // Five pods for four halves: the search tries every way to place four of them.
  GangWorld world;
  for (int i = 0; i < 8; ++i) world.AddNode(1, 1);
  for (int i = 0; i < 9; ++i) {
    world.AddMember(fmt::format("p{}", i), {i % 2 == 0 ? "1 gpu" : "1 half"}, 1);
  }
  EXPECT_FALSE(world.IsFoundWith(kGangQuestionsMax, 9));
  EXPECT_EQ(world.questions(), kGangQuestionsMax);
}

TEST(SearchGang, GoesOnlySoDeep) {
  GangWorld world;
  world.AddNode(1, 8);
  for (size_t i = 0; i < kGangMembersMax; ++i) world.AddMember(fmt::format("p{}", i), {"1 gpu"});
  EXPECT_TRUE(world.IsFoundWith(kGangQuestionsMax, 2));
  world.AddMember("one-too-many", {"1 gpu"});
  EXPECT_FALSE(world.IsFoundWith(kGangQuestionsMax, 2));
}

TEST(SearchGang, NeedsAsManyQuestionsAsItAsks) {
  GangWorld world;
  world.AddNode(1, 8);
  world.AddMember("a", {"1 gpu"});
  world.AddMember("b", {"1 gpu"});
  EXPECT_TRUE(world.IsFoundWith(2, 2));
  EXPECT_FALSE(world.IsFoundWith(1, 2));
}

}  // namespace
}  // namespace dray::scheduler::inline groups
