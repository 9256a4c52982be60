// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/pools.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/testing/lab.h"

namespace dray::allocator::rules {
namespace {

using testing::FeaturesWith;
using ::testing::HasSubstr;
using testing::Lab;

/// What is special about a slice; the rest is driver d.io, pool p, node "node", one device that is
/// called like the slice.
struct SliceText {
  std::string name;
  int generation = 1;
  int count = 1;
  std::string where = R"("nodeName":"node")";
  std::string pool = "p";
  std::string content = {};  // instead of the device
};

std::string Json(const SliceText& slice) {
  const std::string devices = fmt::format(R"("devices":[{{"name":"{}"}}])", slice.name);
  return fmt::format(
      R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"d.io",{},"pool":{{"name":"{}",)"
      R"("generation":{},"resourceSliceCount":{}}},{}}}}})",
      slice.name,
      slice.where,
      slice.pool,
      slice.generation,
      slice.count,
      slice.content.empty() ? devices : slice.content);
}

/// "p[a b]" for a pool with these devices, "p?" for an incomplete one, "p!" for an invalid one.
std::string Gathered(const std::vector<SliceText>& slices, const Features& features) {
  Lab lab;
  for (const SliceText& slice : slices) lab.Slice(Json(slice));
  const Result<GatheredPools> gathered = GatherPools(*lab.inventory(), lab.node(), features);
  if (!gathered) return "error: " + gathered.error().message;
  std::string text;
  for (const Pool& pool : gathered->pools) {
    if (!text.empty()) text += " ";
    text += pool.name;
    if (pool.state == PoolState::kInvalid) text += "!";
    if (pool.state == PoolState::kIncomplete) text += "?";
    if (pool.slices.empty()) continue;
    std::vector<std::string_view> names;
    for (const auto& slice : pool.slices) {
      for (const DeviceEntry& entry : slice) names.emplace_back(entry.device->name);
    }
    text += fmt::format("[{}]", fmt::join(names, " "));
  }
  return text;
}

constexpr std::string_view kElsewhere = R"("nodeName":"other")";

struct PoolCase {
  std::string_view what;
  std::vector<SliceText> slices;
  std::string_view newest, stable, first;  // v0.37.2, v0.37.2/stable, v0.31.8
};

TEST(GatherPools, StatesAndOrder) {
  const std::vector<PoolCase> cases = {
      {"one slice", {{.name = "a"}}, "p[a]", "p[a]", "p[a]"},
      {"of another node", {{.name = "a", .where = std::string(kElsewhere)}}, "", "", ""},
      {"by name, or as given",
       {{.name = "b", .count = 2}, {.name = "a", .count = 2}},
       "p[a b]",
       "p[b a]",
       "p[b a]"},
      {"a slice is missing", {{.name = "a", .count = 2}}, "p?", "p?", "p?[a]"},
      {"the rest is for another node",
       {{.name = "a", .count = 2}, {.name = "b", .count = 2, .where = std::string(kElsewhere)}},
       "p[a]",
       "p[a]",
       "p?[a]"},
      {"older slices go",
       {{.name = "a", .generation = 1}, {.name = "b", .generation = 2}},
       "p[b]",
       "p[b]",
       "p?[b b]"},
      {"older slices do not come back",
       {{.name = "b", .generation = 2}, {.name = "a", .generation = 1}},
       "p[b]",
       "p[b]",
       "p[b]"},
      {"twice what is newer makes two",
       {{.name = "a", .generation = 1}, {.name = "b", .generation = 2, .count = 2}},
       "p?",
       "p?",
       "p[b b]"},
      {"a newer generation elsewhere while this one is short",
       {{.name = "a", .count = 2},
        {.name = "b", .generation = 2, .where = std::string(kElsewhere)}},
       "",
       "",
       "p?[a]"},
      {"a newer generation elsewhere is not noticed while this one is complete (Q11)",
       {{.name = "a"}, {.name = "b", .generation = 2, .where = std::string(kElsewhere)}},
       "p[a]",
       "p[a]",
       "p[a]"},
      {"the same name twice",
       {{.name = "a", .content = R"("devices":[{"name":"x"},{"name":"x"}])"}},
       "p!",
       "p!",
       "p[x x]"},
      {"pools by name",
       {{.name = "a", .pool = "p-2"}, {.name = "b", .pool = "p-10"}, {.name = "c", .pool = "p-1"}},
       "p-1[c] p-10[b] p-2[a]",
       "p-1[c] p-10[b] p-2[a]",
       "p-1[c] p-10[b] p-2[a]"},
      {"pools with binding conditions last, even with an empty list",
       {{.name = "a",
         .pool = "p-1",
         .content = R"("devices":[{"name":"a","bindingConditions":[]}])"},
        {.name = "b", .pool = "p-2"}},
       "p-2[b] p-1[a]",
       "p-1[a] p-2[b]",
       "p-1[a] p-2[b]"},
      {"a choice of nodes that is not known",
       {{.name = "a", .where = R"("allNodes":false)"}},
       "",
       "",
       ""},
  };
  for (const PoolCase& c : cases) {
    EXPECT_EQ(Gathered(c.slices, FeaturesWith("v0.37.2/experimental", "")), c.newest) << c.what;
    EXPECT_EQ(Gathered(c.slices, FeaturesWith("v0.37.2/stable", "")), c.stable) << c.what;
    EXPECT_EQ(Gathered(c.slices, FeaturesWith("v0.31.8", "")), c.first) << c.what;
  }
}

constexpr std::string_view kCounterSets =
    R"("sharedCounters":[{"name":"s","counters":{"n":{"value":"1"}}}])";

std::string Drawing(std::string_view device, std::string_view set, std::string_view counter) {
  return fmt::format(R"("devices":[{{"name":"{}","consumesCounters":[{{"counterSet":"{}",)"
                     R"("counters":{{"{}":{{"value":"1"}}}}}}]}}])",
                     device,
                     set,
                     counter);
}

TEST(GatherPools, CountersMustExist) {
  const std::vector<std::pair<std::string, std::string_view>> cases = {
      {Drawing("a", "s", "n"), "p[a]"},
      {Drawing("a", "t", "n"), "p!"},
      {Drawing("a", "s", "m"), "p!"}};
  for (const auto& [devices, pool] : cases) {
    const std::vector<SliceText> slices = {
        {.name = "c", .count = 2, .content = std::string(kCounterSets)},
        {.name = "d", .count = 2, .content = devices}};
    for (const char* profile : {"v0.36.6", "v0.37.2/stable", "v0.37.2/experimental"})
      EXPECT_EQ(Gathered(slices, FeaturesWith(profile, "PartitionableDevices")), pool) << devices;
    // Without the switch the slice with the counters is left out, but still counts.
    EXPECT_EQ(Gathered(slices, FeaturesWith("v0.37.2", "")), "p[a]");
  }
}

TEST(GatherPools, CounterSlicesOfOtherNodesShowUpInOlderRules) {
  const std::vector<SliceText> slices = {
      {.name = "c", .where = std::string(kElsewhere), .content = std::string(kCounterSets)}};
  EXPECT_EQ(Gathered(slices, FeaturesWith("v0.37.2/incubating", "PartitionableDevices")), "");
  EXPECT_EQ(Gathered(slices, FeaturesWith("v0.37.2/stable", "PartitionableDevices")), "p");
  EXPECT_EQ(Gathered(slices, FeaturesWith("v0.36.6/incubating", "PartitionableDevices")), "p");
}

TEST(GatherPools, SlicesWithGroupsAreHiddenWhileTheirSwitchIsOff) {
  const std::vector<SliceText> slices = {
      {.name = "a", .count = 2},
      {.name = "g",
       .count = 2,
       .content = R"("devices":[{"name":"g","consumesCounters":[{"counterSet":"s",
                   "compatibilityGroups":["x"]}]}])"}};
  EXPECT_EQ(Gathered(slices, FeaturesWith("v0.37.2", "")), "p?");
  EXPECT_EQ(Gathered(slices, FeaturesWith("v0.36.6", "")), "p[a g]");
}

TEST(GatherPools, BadNodeSelectorsNameTheSlice) {
  const std::vector<SliceText> slices = {
      {.name = "a", .where = R"("nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[
                 {"key":"bad key","operator":"Exists"}]}]})"}};
  for (const char* profile : {"v0.31.8", "v0.36.6", "v0.37.2/stable", "v0.37.2"}) {
    EXPECT_THAT(Gathered(slices, FeaturesWith(profile, "")),
                HasSubstr("error: gather pool information: failed to perform node selection for "
                          "slice a: "));
  }
}

}  // namespace
}  // namespace dray::allocator::rules
