// SPDX-License-Identifier: Apache-2.0
#include "manifests/spelling.h"

#include <gtest/gtest.h>

namespace dray::manifests {
namespace {

TEST(Spelling, CountsChanges) {
  EXPECT_EQ(SpellingDistance("", ""), 0U);
  EXPECT_EQ(SpellingDistance("abc", ""), 3U);
  EXPECT_EQ(SpellingDistance("modle", "model"), 2U);
  EXPECT_EQ(SpellingDistance("Model", "model"), 0U);
  EXPECT_EQ(SpellingDistance("kitten", "sitting"), 3U);
}

}  // namespace
}  // namespace dray::manifests
