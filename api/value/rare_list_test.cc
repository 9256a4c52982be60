// SPDX-License-Identifier: Apache-2.0
#include "api/value/rare_list.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/value/list.h"

namespace dray::api {
namespace {

TEST(RareList, IsAListThatTakesAPointer) {
  static_assert(sizeof(RareList<std::string>) == sizeof(void*));
  RareList<std::string> list;
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(list.present());
  EXPECT_EQ(list.begin(), list.end());
  EXPECT_EQ(list, RareList<std::string>(List<std::string>()));
  list.push_back("a");
  list.emplace_back("b");
  EXPECT_TRUE(list.present());
  EXPECT_EQ(list, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(list.back(), "b");
  const RareList<std::string> copy = list;
  list[0] = "c";
  EXPECT_NE(list, copy);
  const List<std::string>& items = copy;
  EXPECT_EQ(items, (List<std::string>{"a", "b"}));
  list.clear();
  EXPECT_TRUE(list.empty());
}

TEST(RareList, KnowsWhetherItWasGivenAsNothing) {
  List<int> given;
  given.set_present();
  const RareList<int> list = given;
  EXPECT_TRUE(list.present());
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list, RareList<int>()) << "absent and [] are equal";
  RareList<int> other;
  other.set_present();
  EXPECT_TRUE(other.present());
}

}  // namespace
}  // namespace dray::api
