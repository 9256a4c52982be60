// SPDX-License-Identifier: Apache-2.0
#include "bench/samples.h"

#include <gtest/gtest.h>

namespace dray::bench {
namespace {

TEST(Samples, TheMaximumStandsBesideEachPercentile) {
  Samples samples;
  EXPECT_EQ(samples.Percentiles("ms"), "p50 0.00, p99 0.00, max 0.00 ms") << "there are none";
  for (int i = 0; i < 100; ++i) samples.Add(99 - i);
  samples.Add(90'000);
  EXPECT_EQ(samples.min(), 0);
  EXPECT_EQ(samples.median(), 50);
  EXPECT_EQ(samples.At(99), 99);
  EXPECT_EQ(samples.Percentiles("ms", 0), "p50 50, p99 99, max 90000 ms");
  EXPECT_EQ(samples.Median("us"), "50.0 us (max 90000.0)");
  samples.Add(90'001);
  EXPECT_EQ(samples.max(), 90'001) << "after a question, too";
}

}  // namespace
}  // namespace dray::bench
