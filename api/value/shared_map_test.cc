// SPDX-License-Identifier: Apache-2.0
#include "api/value/shared_map.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

using Texts = SharedMap<std::string>;

static_assert(std::random_access_iterator<Texts::iterator>);
static_assert(std::random_access_iterator<Texts::const_iterator>);

/// Where the value at `key` is.
const std::string* At(const Texts& map, std::string_view key) {
  return &map.find(key)->second;
}

TEST(SharedMap, IsAMap) {
  Texts map{{"b", "2"}, {"a", "1"}};
  EXPECT_EQ(map.begin()->first, "a");
  EXPECT_EQ(map.try_emplace("a", "3").second, false);
  map["c"] = "3";
  map.insert_or_assign("a", "0");
  EXPECT_EQ(map, (Texts{{"a", "0"}, {"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(map.erase("b"), 1U);
  EXPECT_EQ(map.erase("b"), 0U);
  EXPECT_FALSE(map.contains("b"));
  EXPECT_EQ(map.size(), 2U);
  map.Append("y") = "1";
  map.Append("x") = "1";
  map.Append("y") = "2";
  map.Settle();
  EXPECT_EQ(map, (Texts{{"a", "0"}, {"c", "3"}, {"x", "1"}, {"y", "2"}}));
}

TEST(SharedMap, ACopySharesEntriesUntilOneIsWritten) {
  Texts map{{"a", "1"}, {"b", "2"}};
  Texts copy = map;
  EXPECT_EQ(At(copy, "a"), At(map, "a"));
  copy["a"] = "3";
  EXPECT_EQ(map.at("a"), "1");
  EXPECT_EQ(copy.at("a"), "3");
  EXPECT_EQ(At(copy, "b"), At(std::as_const(map), "b")) << "the other entry is still shared";
  for (auto& [key, value] : map) value += key;
  EXPECT_EQ(map, (Texts{{"a", "1a"}, {"b", "2b"}}));
  EXPECT_EQ(copy, (Texts{{"a", "3"}, {"b", "2"}}));
}

TEST(SharedMap, WhoIsAloneWritesInPlace) {
  Texts map{{"a", "1"}};
  const std::string* const before = At(map, "a");
  map.at("a") = "2";
  EXPECT_EQ(At(map, "a"), before);
  {
    Texts copy = map;
    copy.erase("a");
  }
  map.find("a")->second = "3";
  EXPECT_EQ(At(map, "a"), before);
}

TEST(SharedMap, EntriesOutliveTheMapThatMadeThem) {
  Texts copy;
  {
    const Texts map{{"a", std::string(100, 'x')}};
    copy = map;
  }
  EXPECT_EQ(copy.at("a"), std::string(100, 'x'));
}

TEST(SharedMap, ThreadsCopyWriteAndDropTheSameEntries) {
  const Texts map{{"a", "1"}, {"b", "2"}};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&map] {
      for (int round = 0; round < 1000; ++round) {
        Texts copy = map;
        copy["a"] += "x";
        EXPECT_EQ(copy.at("a"), "1x");
      }
    });
  }
  threads.clear();
  EXPECT_EQ(map, (Texts{{"a", "1"}, {"b", "2"}}));
}

}  // namespace
}  // namespace dray::api
