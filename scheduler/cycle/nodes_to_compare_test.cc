// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/nodes_to_compare.h"

#include <gtest/gtest.h>

namespace dray::scheduler::inline cycle {
namespace {

TEST(NodesToCompare, IsUpstreamsPart) {
  EXPECT_EQ(NodesToCompare(99), 99U);
  EXPECT_EQ(NodesToCompare(100), 100U);
  EXPECT_EQ(NodesToCompare(1000), 420U);
  EXPECT_EQ(NodesToCompare(6000), 300U);
  EXPECT_EQ(NodesToCompare(100000), 5000U);
}

}  // namespace
}  // namespace dray::scheduler::inline cycle
