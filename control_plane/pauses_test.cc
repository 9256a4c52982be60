// SPDX-License-Identifier: Apache-2.0
#include "control_plane/pauses.h"

#include <chrono>
#include <future>

#include <gtest/gtest.h>

#include "base/world.h"

namespace dray::control_plane {
namespace {

TEST(Pauses, EndAfterTheirLengthAndNotBefore) {
  const Clock& clock = RealWorld().clock;
  constexpr std::chrono::milliseconds kLength(20);
  Pauses pauses(clock, kLength);
  const MonotonicTime begun = clock.Monotonic();
  std::promise<MonotonicTime> ended;
  pauses.Begin([&](const Result<>&) { ended.set_value(clock.Monotonic()); });
  EXPECT_GE(ended.get_future().get() - begun, kLength);
}

TEST(Pauses, EndWhenTheyAreClosed) {
  Pauses pauses(RealWorld().clock, std::chrono::hours(1));
  int resumed = 0;
  pauses.Begin([&](const Result<>&) { ++resumed; });
  pauses.Begin([&](const Result<>&) { ++resumed; });
  pauses.Close();
  EXPECT_EQ(resumed, 2);
  pauses.Begin([&](const Result<>&) { ++resumed; });
  EXPECT_EQ(resumed, 3);
}

}  // namespace
}  // namespace dray::control_plane
