// SPDX-License-Identifier: Apache-2.0
#include "api/value/map.h"

#include <map>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "api/value/list.h"

namespace dray::api {
namespace {

TEST(Map, IsSortedWhateverTheOrderOfInsertion) {
  const Map<int> map = {{"b", 2}, {"a", 1}, {"c", 3}, {"a", 7}};
  std::string seen;
  for (const auto& [key, value] : map) seen += key + std::to_string(value);
  EXPECT_EQ(seen, "a1b2c3");
  EXPECT_EQ(map.at("b"), 2);
  EXPECT_TRUE(map.contains("c"));
  EXPECT_EQ(map.find("bb"), map.end());
}

TEST(Map, EmplaceKeepsAndAssignReplaces) {
  Map<std::string> map;
  EXPECT_TRUE(map.emplace("a", "first").second);
  EXPECT_FALSE(map.emplace("a", "second").second);
  EXPECT_EQ(map["a"], "first");
  EXPECT_FALSE(map.insert_or_assign("a", "third").second);
  EXPECT_EQ(map["a"], "third");
  EXPECT_EQ(map["new"], "");
  EXPECT_EQ(map.size(), 2U);
}

TEST(Map, BehavesLikeTheStandardMap) {
  std::mt19937 random(7);  // a seed, so that a failure comes again
  Map<int> ours;
  std::map<std::string, int, std::less<>> theirs;
  for (int i = 0; i < 5000; ++i) {
    const std::string key = std::to_string(random() % 300);
    switch (random() % 4) {
      case 0: EXPECT_EQ(ours.erase(key), theirs.erase(key)); break;
      case 1: EXPECT_EQ(ours.try_emplace(key, i).second, theirs.try_emplace(key, i).second); break;
      default: ours[key] = theirs[key] = i;
    }
  }
  EXPECT_EQ(ours, Map<int>(theirs.begin(), theirs.end()));
  EXPECT_EQ(ours.size(), theirs.size());
}

TEST(Map, SettlesWhatWasAppended) {
  std::mt19937 random(7);
  for (const unsigned size : {2U, 3U, 10U, 500U}) {
    Map<int> ours;
    std::map<std::string, int> theirs;
    for (unsigned i = 0; i < size; ++i) {
      const std::string key = std::to_string(random() % (2UL * size));
      ours.Append(key) = theirs[key] = static_cast<int>(i);
    }
    ours.Settle();
    EXPECT_EQ(ours, Map<int>(theirs.begin(), theirs.end())) << size;
  }
}

TEST(List, KnowsWhetherItWasGiven) {
  List<int> list;
  EXPECT_FALSE(list.present());
  list.set_present();
  EXPECT_TRUE(list.present());
  EXPECT_EQ(list, List<int>());  // which changes nothing about being equal
  List<int> filled = {1, 2};
  EXPECT_TRUE(filled.present());
  const List<int> moved = std::move(filled);
  EXPECT_EQ(moved, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace dray::api
