// SPDX-License-Identifier: Apache-2.0
#include "base/text/spelling.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dray::inline text {
namespace {

TEST(Spelling, CountsChanges) {
  EXPECT_EQ(SpellingDistance("", ""), 0U);
  EXPECT_EQ(SpellingDistance("abc", ""), 3U);
  EXPECT_EQ(SpellingDistance("modle", "model"), 2U);
  EXPECT_EQ(SpellingDistance("Model", "model"), 0U);
  EXPECT_EQ(SpellingDistance("kitten", "sitting"), 3U);
}

TEST(Spelling, TheNearestNameIsASlipAway) {
  const std::vector<std::string> names = {"Pod", "ResourceClaim", "ResourceSlice"};
  EXPECT_EQ(NearestName("Pood", names), "Pod");
  EXPECT_EQ(NearestName("ResourceClam", names), "ResourceClaim");
  EXPECT_EQ(NearestName("Gadget", names), "");
  EXPECT_EQ(NearestName("Pod", {}), "");
  EXPECT_EQ(MeantName("Pood", names), "; did you mean Pod?");
  EXPECT_EQ(MeantName("Gadget", names), "");
}

}  // namespace
}  // namespace dray::inline text
