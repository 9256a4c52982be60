// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_events.h"

#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {
namespace {

TEST(RandomEvents, TheSameSeedGivesTheSameEvents) {
  Problem first = RandomProblem(7);
  Problem second = RandomProblem(7);
  const Problem start = RandomProblem(7);
  for (const Event& event : RandomEvents(start, 3, 200)) Apply(event, first);
  for (const Event& event : RandomEvents(start, 3, 200)) Apply(event, second);
  EXPECT_EQ(EncodeProblem(first), EncodeProblem(second));
  EXPECT_NE(EncodeProblem(first), EncodeProblem(start));
}

/// No free device is released, and no taken device is taken again.
TEST(RandomEvents, ClaimsTakeWhatIsFree) {
  std::map<size_t, int> kinds;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Problem problem = RandomProblem(seed);
    for (const Event& event : RandomEvents(problem, seed, 100)) {
      ++kinds[event.index()];
      if (const auto* claim = std::get_if<ClaimEvent>(&event)) {
        const bool takes = claim->kind == ClaimEvent::Kind::kTake;
        for (const auto& device : claim->devices)
          EXPECT_NE(problem.allocated.devices.contains(device), takes) << device.ToString();
        for (const auto& share : claim->shares)
          EXPECT_NE(problem.allocated.shares.contains(share.id), takes) << share.id.share;
      }
      Apply(event, problem);
    }
  }
  EXPECT_GT(kinds[0], 500);
  EXPECT_GT(kinds[1], 200);
  EXPECT_GT(kinds[2], 1500);
}

}  // namespace
}  // namespace dray::judges
