// SPDX-License-Identifier: Apache-2.0
#include "controllers/key_loop.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/simulated_world.h"

namespace dray::controllers {
namespace {

using namespace std::chrono_literals;

struct KeyLoopTest : ::testing::Test {
  KeyLoop Make(size_t keys_per_step, size_t keys_max) {
    return KeyLoop({.clock = world.world().clock,
                    .log = Log::Silent(),
                    .failed = "tried again",
                    .keys_per_step = keys_per_step,
                    .queue = {.keys_max = keys_max}});
  }
  /// The keys of one step; `failing` fails with `reason`.
  std::vector<std::string> Step(KeyLoop& loop,
                                const std::string& failing = "",
                                StatusReason reason = StatusReason::kConflict) {
    std::vector<std::string> seen;
    loop.Handle([&](const std::string& key) -> Result<> {
      seen.push_back(key);
      if (key == failing) return Fail(reason, "no");
      return {};
    });
    return seen;
  }

  using Keys = std::vector<std::string>;
  SimulatedWorld world{1};
};

TEST_F(KeyLoopTest, HandlesAtMostSoManyKeysInAStep) {
  KeyLoop loop = Make(2, 10);
  for (const char* key : {"a", "b", "c", "a"}) loop.Add(key);
  EXPECT_EQ(Step(loop), (Keys{"a", "b"}));
  EXPECT_EQ(Step(loop), (Keys{"c"}));
  EXPECT_EQ(loop.Next(), std::nullopt);
}

TEST_F(KeyLoopTest, TriesAFailedKeyAgainAfterADelayThatGrows) {
  KeyLoop loop = Make(10, 10);
  loop.Add("a");
  EXPECT_EQ(Step(loop, "a"), (Keys{"a"}));
  EXPECT_EQ(Step(loop, "a"), Keys{});
  world.clock().Advance(5ms);
  EXPECT_EQ(Step(loop, "a"), (Keys{"a"}));
  world.clock().Advance(9ms);
  EXPECT_EQ(Step(loop, "a"), Keys{});
  world.clock().Advance(1ms);
  EXPECT_EQ(Step(loop), (Keys{"a"}));
  EXPECT_EQ(loop.Next(), std::nullopt);
}

TEST_F(KeyLoopTest, IsDoneWithAKeyThatIsNotThere) {
  KeyLoop loop = Make(10, 10);
  loop.Add("a");
  EXPECT_EQ(Step(loop, "a", StatusReason::kNotFound), (Keys{"a"}));
  EXPECT_EQ(loop.Next(), std::nullopt);
}

TEST_F(KeyLoopTest, StartsOverWhenAKeyFoundNoRoom) {
  KeyLoop loop = Make(10, 2);
  loop.Add("a");
  loop.Add("b");
  EXPECT_FALSE(loop.MustStartOver());  // at the limit
  loop.Add("c");
  EXPECT_FALSE(loop.MustStartOver());  // the others come first
  EXPECT_EQ(Step(loop), (Keys{"a", "b"}));
  EXPECT_TRUE(loop.MustStartOver());
  EXPECT_FALSE(loop.MustStartOver());
}

TEST_F(KeyLoopTest, FinishesKeysThatWereTaken) {
  KeyLoop loop = Make(2, 10);
  for (const char* key : {"a", "b", "c"}) loop.AddAt(key, world.clock().Monotonic());
  EXPECT_EQ(loop.Take(), (Keys{"a", "b"}));
  loop.Finish("a", {});
  loop.Finish("b", Fail(StatusReason::kConflict, "no"));
  EXPECT_EQ(loop.Take(), (Keys{"c"}));
  world.clock().Advance(5ms);
  EXPECT_EQ(loop.Take(), (Keys{"b"}));
}

}  // namespace
}  // namespace dray::controllers
