// SPDX-License-Identifier: Apache-2.0
#include "base/fair_queue.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace dray {
namespace {

using Queue = FairQueue<std::string>;

std::string TakeAll(Queue& queue) {
  std::string all;
  while (const auto next = queue.TryPop()) {
    all += next->value;
    queue.Done(next->owner);
  }
  return all;
}

TEST(FairQueue, LinesTakeTurns) {
  Queue queue({.capacity = 100, .line = 10, .at_once = 1});
  for (const std::string_view text : {"a1", "a2", "a3", "b1", "a4", "c1", "b2"}) {
    EXPECT_TRUE(queue.TryPush(std::string(text), text.substr(0, 1)));
  }
  EXPECT_TRUE(queue.TryPush("x"));
  EXPECT_TRUE(queue.TryPush("y"));
  EXPECT_EQ(queue.size(), 9U);
  EXPECT_EQ(TakeAll(queue), "xya1b1c1a2b2a3a4");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(FairQueue, AllLinesAndEachHaveALimit) {
  Queue queue({.capacity = 5, .line = 2, .at_once = 1});
  EXPECT_TRUE(queue.TryPush("1", "a"));
  EXPECT_TRUE(queue.TryPush("2", "a"));
  EXPECT_FALSE(queue.TryPush("3", "a"));
  EXPECT_TRUE(queue.TryPush("4", "b"));
  EXPECT_TRUE(queue.TryPush("5"));
  EXPECT_TRUE(queue.TryPush("6"));
  EXPECT_FALSE(queue.TryPush("7", "c"));
  EXPECT_FALSE(queue.TryPush("8"));
  EXPECT_EQ(TakeAll(queue), "56142");
}

TEST(FairQueue, OneOwnerHasOnlySoManyAtOnce) {
  Queue queue({.capacity = 100, .line = 10, .at_once = 2});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.TryPush("a", "a"));
  ASSERT_TRUE(queue.TryPush("b", "b"));
  const auto first = queue.TryPop();
  EXPECT_EQ(first->value, "a");
  EXPECT_EQ(queue.TryPop()->value, "b");
  EXPECT_EQ(queue.TryPop()->value, "a");
  EXPECT_EQ(queue.TryPop(), std::nullopt) << "two of his are at work";
  ASSERT_TRUE(queue.TryPush("c", "c"));
  EXPECT_EQ(queue.TryPop()->value, "c");
  queue.Done(first->owner);
  EXPECT_EQ(queue.TryPop()->value, "a");
  queue.Close();
  EXPECT_FALSE(queue.TryPush("d"));
}

TEST(FairQueue, TheRestOfWhatWasBegunWaitsForOthersButNotForItsOwnLine) {
  Queue queue({.capacity = 4, .line = 2, .at_once = 1});
  for (const std::string_view text : {"a1", "a2", "b1", "b2"}) {
    ASSERT_TRUE(queue.TryPush(std::string(text), text.substr(0, 1)));
  }
  const auto begun = queue.TryPop();
  ASSERT_TRUE(queue.TryPush("a3", "a"));
  EXPECT_TRUE(queue.TryPushRest("a1-rest", "a")) << "though all is full";
  queue.Done(begun->owner);
  EXPECT_EQ(TakeAll(queue), "b1a1-restb2a2a3");
  queue.Close();
  EXPECT_FALSE(queue.TryPushRest("late", "a"));
}

}  // namespace
}  // namespace dray
