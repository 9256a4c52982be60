// SPDX-License-Identifier: Apache-2.0
#include "metrics/limited_names.h"

#include <gtest/gtest.h>

namespace dray::metrics {
namespace {

TEST(LimitedNames, LaterOnesShareAName) {
  LimitedNames names(2);
  EXPECT_EQ(names.NameFor("a"), "a");
  EXPECT_EQ(names.NameFor("b"), "b");
  EXPECT_EQ(names.NameFor("c"), "other");
  EXPECT_EQ(names.NameFor("a"), "a");
}

}  // namespace
}  // namespace dray::metrics
