// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue/fair_order.h"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline queue {
namespace {

using ::testing::ElementsAre;

/// Adds pods named by their tickets, and pops them.
class FairOrderTest : public ::testing::Test {
 protected:
  void Add(const std::string& owner, int pods, int32_t priority = 0) {
    for (int i = 0; i < pods; ++i) {
      order_.Add(priority, next_, owner, fmt::format("{}/{}", owner, next_));
      ++next_;
    }
  }
  /// Pops the next pods, each of which uses `work`.
  std::vector<std::string> Take(int pods, uint64_t work) {
    std::vector<std::string> taken;
    for (int i = 0; i < pods && !order_.empty(); ++i) {
      taken.push_back(order_.Pop());
      order_.Charge(taken.back().substr(0, taken.back().find('/')), work);
    }
    return taken;
  }

  FairOrder order_;
  uint64_t next_ = 0;
};

TEST_F(FairOrderTest, LittleWorkLeavesTheOrderOfTickets) {
  Add("a", 2);
  Add("b", 1);
  Add("a", 1);
  Add("b", 1);
  EXPECT_THAT(Take(9, 1000), ElementsAre("a/0", "a/1", "b/2", "a/3", "b/4"));
  EXPECT_EQ(order_.size(), 0U);
}

TEST_F(FairOrderTest, NamespacesWithMuchWorkTakeTurns) {
  Add("a", 3);
  Add("b", 3);
  EXPECT_THAT(Take(9, FairOrder::kTurnWork), ElementsAre("a/0", "b/3", "a/1", "b/4", "a/2", "b/5"));
}

TEST_F(FairOrderTest, APodOfALightNamespaceGoesBeforeAllOfAHeavyOne) {
  Add("heavy", 100);
  Take(10, 20 * FairOrder::kTurnWork);
  Add("light", 2);
  EXPECT_THAT(Take(4, 1000), ElementsAre("light/100", "light/101", "heavy/10", "heavy/11"));
}

TEST_F(FairOrderTest, NoNamespaceSavesTurnsUp) {
  Add("idle", 1);
  Take(1, 0);
  Add("busy", 50);
  Take(50, FairOrder::kTurnWork);
  Add("busy", 2);
  Add("idle", 3);
  EXPECT_THAT(Take(5, FairOrder::kTurnWork),
              ElementsAre("idle/53", "busy/51", "idle/54", "busy/52", "idle/55"));
}

TEST_F(FairOrderTest, PriorityComesFirst) {
  Add("busy", 1);
  Take(1, 100 * FairOrder::kTurnWork);
  Add("light", 1);
  Add("busy", 1, 10);
  EXPECT_THAT(Take(2, 0), ElementsAre("busy/2", "light/1"));
}

TEST_F(FairOrderTest, ARemovedPodIsGone) {
  Add("a", 3);
  order_.Remove(0, 0, "a");
  order_.Remove(0, 2, "a");
  EXPECT_EQ(order_.size(), 1U);
  EXPECT_THAT(Take(9, 0), ElementsAre("a/1"));
  EXPECT_TRUE(order_.empty());
}

}  // namespace
}  // namespace dray::scheduler::inline queue
