// SPDX-License-Identifier: Apache-2.0
#include "node/node_keepers.h"

#include <string>

#include <gtest/gtest.h>

namespace dray::node {
namespace {

api::Time At(int64_t seconds) {
  return api::Time::FromUnixSeconds(1'000'000 + seconds);
}

class NodeKeepersTest : public ::testing::Test {
 protected:
  void SeeNode(int64_t created, std::optional<int64_t> heartbeat, int64_t now) {
    api::core_v1::Node node;
    node.metadata.name = "a";
    node.metadata.creation_timestamp = At(created);
    if (heartbeat.has_value()) {
      node.status.conditions.push_back(
          {.type = "Ready", .status = "True", .last_heartbeat_time = At(*heartbeat)});
    }
    keepers_.SeeNode(node, At(now));
  }
  void SeeLease(int64_t renewed, std::optional<int32_t> duration = std::nullopt) {
    api::coordination_v1::Lease lease;
    lease.metadata.name = "a";
    lease.spec.renew_time = api::MicroTime::FromUnixMicros(At(renewed).unix_seconds() * 1'000'000);
    lease.spec.lease_duration_seconds = duration;
    keepers_.SeeLease(lease, At(renewed));
  }
  Keeper Of(int64_t now) const { return keepers_.Of("a", At(now)).keeper; }

  NodeKeepers keepers_;
};

TEST_F(NodeKeepersTest, ANodeThatSomebodyWroteIsNobodysAfterAMoment) {
  EXPECT_EQ(Of(0), Keeper::kNoNode);
  SeeNode(0, std::nullopt, 0);
  EXPECT_EQ(Of(1), Keeper::kMayCome);
  EXPECT_EQ(keepers_.Of("a", At(1)).ask_again, At(2));
  EXPECT_EQ(Of(2), Keeper::kNobody);
  keepers_.DropNode("a");
  EXPECT_EQ(Of(2), Keeper::kNoNode);
}

TEST_F(NodeKeepersTest, ALeaseShowsAnAgentUntilItIsOld) {
  SeeLease(0);
  EXPECT_EQ(Of(0), Keeper::kNoNode);  // the node comes later
  SeeNode(0, std::nullopt, 0);
  EXPECT_EQ(Of(39), Keeper::kAgent);
  EXPECT_EQ(keepers_.Of("a", At(39)).ask_again, At(40));
  EXPECT_EQ(Of(40), Keeper::kSilentAgent);
  SeeLease(41, 100);
  EXPECT_EQ(Of(140), Keeper::kAgent);
  EXPECT_EQ(Of(141), Keeper::kSilentAgent);
  keepers_.DropLease("a");
  EXPECT_EQ(Of(141), Keeper::kNobody);
}

TEST_F(NodeKeepersTest, AHeartbeatShowsAnAgentUnlessItIsACopysFromBefore) {
  SeeNode(0, -40, 0);
  EXPECT_EQ(Of(2), Keeper::kNobody);
  SeeNode(0, 5, 5);
  EXPECT_EQ(Of(44), Keeper::kAgent);
  EXPECT_EQ(Of(45), Keeper::kSilentAgent);
  SeeNode(0, 1'000'000, 50);  // a clock that is ahead
  EXPECT_EQ(Of(89), Keeper::kAgent);
  EXPECT_EQ(Of(90), Keeper::kSilentAgent);
}

TEST_F(NodeKeepersTest, TellsWhatNobodyKeepsAlive) {
  SeeNode(0, std::nullopt, 0);
  const auto is_ours = [](std::string_view name) { return name == "ours"; };
  EXPECT_EQ(keepers_.AbandonedOf(is_ours, At(9)).count, 1U);
  EXPECT_EQ(keepers_.AbandonedOf(is_ours, At(9)).example, "a");
  EXPECT_EQ(keepers_.AbandonedOf([](auto) { return true; }, At(9)).count, 0U);
  SeeLease(9);
  EXPECT_EQ(keepers_.AbandonedOf(is_ours, At(9)).count, 0U);
}

}  // namespace
}  // namespace dray::node
