// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_profile.h"

#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/world.h"

namespace dray {
namespace {

using ::testing::HasSubstr;

uintptr_t WordAt(const std::string& profile, size_t index) {
  uintptr_t word = 0;
  std::memcpy(&word, profile.data() + index * sizeof(word), sizeof(word));
  return word;
}

TEST(CpuProfile, SamplesWhatRuns) {
  ASSERT_TRUE(StartCpuProfile().has_value());
  EXPECT_EQ(StartCpuProfile().error().reason, StatusReason::kConflict);
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC * 3 / 10;  // samples follow CPU time
  while (std::clock() < end) {
  }
  const std::string profile = StopCpuProfile(RealWorld().disk);
  EXPECT_EQ(WordAt(profile, 1), 3U);
  EXPECT_EQ(WordAt(profile, 3), 10'000U);
  EXPECT_EQ(WordAt(profile, 5), 1U);  // one sample, with several frames
  EXPECT_GT(WordAt(profile, 6), 1U);
  EXPECT_THAT(profile, HasSubstr(" r-xp "));
  ASSERT_TRUE(StartCpuProfile().has_value());  // again
  StopCpuProfile(RealWorld().disk);
}

}  // namespace
}  // namespace dray
