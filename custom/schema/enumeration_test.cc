// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/enumeration.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/validation/cause_limits.h"
#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

Enumeration Of(std::string_view json) {
  std::vector<api::Tree> values;
  const api::Tree list = testing::TreeOf(json);
  for (const api::Tree& value : list.elements()) values.push_back(value);
  return Enumeration(std::move(values));
}

TEST(Enumeration, ValuesAreConvertedAsGoDoes) {
  const Enumeration all = Of(R"(["Fast","A",1,2.5,true,null,[1,{"a":2}]])");
  for (const char* json : {R"("Fast")", "1", "1.0", "1.9", "2.5", "65", "true", R"([1,{"a":2}])"}) {
    EXPECT_TRUE(all.Allows(testing::TreeOf(json))) << json;
  }
  for (const char* json : {R"("fast")", "2", "2.0", "66", "false", "null", "[1]", "{}", R"("1")"}) {
    EXPECT_FALSE(all.Allows(testing::TreeOf(json))) << json;
  }
  const Enumeration halves = Of("[3.0]");
  EXPECT_TRUE(halves.Allows(testing::TreeOf("3")));
  EXPECT_FALSE(halves.Allows(testing::TreeOf("3.5")));
}

TEST(Enumeration, IsShownInItsOrderAndCut) {
  EXPECT_EQ(Of(R"(["b","a",1,{"y":1,"x":null}])").shown(),
            R"("b", "a", "1", "{\"x\":null,\"y\":1}")");
  std::string many = "[0";
  for (int i = 1; i < 10'000; ++i) many += "," + std::to_string(i);
  const Enumeration numbers = Of(many + "]");
  EXPECT_LE(numbers.shown().size(), api::validation::kCauseTextMax + 3);
  EXPECT_TRUE(numbers.shown().ends_with("…"));
  EXPECT_TRUE(numbers.Allows(testing::TreeOf("9999")));
  EXPECT_FALSE(numbers.Allows(testing::TreeOf("10000")));
}

}  // namespace
}  // namespace dray::custom::schema
