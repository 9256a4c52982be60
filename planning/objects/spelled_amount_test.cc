// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/spelled_amount.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace dray::planning::inline objects {
namespace {

api::Quantity Of(std::string_view text) {
  return api::Quantity::Parse(text).value();
}

std::string Spelled(std::initializer_list<const api::Quantity*> written,
                    const api::Quantity& amount) {
  return SpelledAs(written, amount).ToString();
}

TEST(SpelledAmounts, FollowTheAmountsBesideThem) {
  const api::Quantity decimal = Of("100G");
  const api::Quantity binary = Of("80Gi");
  const api::Quantity computed = Of("48828125Ki");  // 50G
  EXPECT_EQ(Spelled({}, computed), "48828125Ki");
  EXPECT_EQ(Spelled({&decimal}, computed), "50G");
  EXPECT_EQ(Spelled({&binary, &decimal}, computed), "50G");
  EXPECT_EQ(Spelled({nullptr, &binary}, computed), "48828125Ki");
  EXPECT_EQ(Spelled({&decimal, &binary}, Of("42949672960")), "40Gi");
  EXPECT_EQ(Spelled({&binary}, Of("1536Mi")), "1536Mi");
  EXPECT_EQ(Spelled({&binary}, Of("54G")), "54G");  // 52734375Ki
}

TEST(SpelledAmounts, AreThoseOfEqualAmounts) {
  const api::Quantity written = Of("0.5");
  const api::Quantity large = Of("2Gi");
  EXPECT_EQ(Spelled({&large, &written}, Of("500m")), written.ToString());
  EXPECT_EQ(Spelled({&large}, Of("2147483648")), "2Gi");
}

TEST(SpelledAmounts, OfNothingAndBelowNothing) {
  const api::Quantity zero = Of("0");
  const api::Quantity binary = Of("80Gi");
  EXPECT_EQ(Spelled({&binary}, Of("0")), "0");
  EXPECT_EQ(Spelled({&zero}, Of("12M")), "12M");
  EXPECT_EQ(Spelled({&binary}, -Of("1073741824")), "-1Gi");
}

}  // namespace
}  // namespace dray::planning::inline objects
