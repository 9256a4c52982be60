// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/allocate.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/testing/lab.h"

namespace dray::allocator::literal {
namespace {

using testing::FeaturesWith;
using ::testing::HasSubstr;
using testing::Lab;

constexpr std::string_view kNewest = "v0.37.2/experimental";

std::string Match(std::string_view attribute, int count) {
  return fmt::format(
      R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"any",)"
      R"("allocationMode":"ExactCount","count":{}}}}}],"constraints":[{{"matchAttribute":"{}"}}]}})",
      count,
      attribute);
}

/// Devices d0, d1, … with equal content.
std::string ManyDevices(int count, std::string_view content = "") {
  std::string list = "[";
  for (int i = 0; i < count; ++i)
    list += fmt::format(R"({}{{"name":"d{:03}"{}}})", i == 0 ? "" : ",", i, content);
  return list + "]";
}

// The reproductions of the quirk register (docs/design/allocator-profiles.md): what a search books
// on a branch that fails is taken back, except what a rule of an older release keeps.

TEST(AllocateLiterally, TaintedDeviceGivesItsCountersBack) {
  Lab lab;
  lab.Partitions(
      R"([{"name":"d1","taints":[{"key":"k","effect":"NoSchedule"}],
           "consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"40"}}}]},
          {"name":"d2","consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"20"}}}]},
          {"name":"d3","consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"20"}}}]}])",
      R"([{"name":"s","counters":{"n":{"value":"40"}}}])");
  lab.Count(1);
  for (const char* profile :
       {"v0.36.6/stable", "v0.36.6/incubating", "v0.37.2/stable", "v0.37.2/incubating"}) {
    EXPECT_EQ(lab.Answer(FeaturesWith(profile, "PartitionableDevices DeviceTaints")), "d2")
        << profile;
  }
}

TEST(AllocateLiterally, DeviceThatDoesNotMatchGivesItsCountersBack) {
  Lab lab;
  std::string devices;
  for (const auto& [name, value] : {std::pair("a1", 0), {"b1", 1}, {"a2", 0}}) {
    devices += fmt::format(
        R"({}{{"name":"{}","attributes":{{"n":{{"int":{}}}}},)"
        R"("consumesCounters":[{{"counterSet":"s","counters":{{"n":{{"value":"10"}}}}}}]}})",
        devices.empty() ? "[" : ",",
        name,
        value);
  }
  lab.Partitions(devices + "]", R"([{"name":"s","counters":{"n":{"value":"20"}}}])");
  lab.Claim(Match("d.io/n", 2));
  for (const char* profile : {"v0.36.6/stable", "v0.36.6/experimental", "v0.37.2/experimental"}) {
    EXPECT_EQ(lab.Answer(FeaturesWith(profile, "PartitionableDevices")), "a1 a2") << profile;
  }
}

TEST(AllocateLiterally, CommonValuesWidenAgainSince37) {
  Lab lab;
  lab.Devices(R"([{"name":"a","attributes":{"n":{"ints":[1,2]}}},
                  {"name":"b","attributes":{"n":{"ints":[1]}}},
                  {"name":"c","attributes":{"n":{"ints":[2]}}},
                  {"name":"d","attributes":{"n":{"ints":[2]}}}])");
  lab.Claim(Match("d.io/n", 3));
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.36.6/experimental", "ListTypeAttributes")), "none");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2/experimental", "ListTypeAttributes")), "a c d");
}

TEST(AllocateLiterally, EveryDeviceOfARequestIsDistinctSince37) {
  Lab lab;
  lab.Devices(
      R"([{"name":"a","attributes":{"n":{"int":1}}},{"name":"b","attributes":{"n":{"int":2}}},
                  {"name":"c","attributes":{"n":{"int":1}}},{"name":"d","attributes":{"n":{"int":3}}}])");
  lab.Claim(
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"ExactCount",
          "count":3}}],"constraints":[{"distinctAttribute":"d.io/n"}]})");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.36.6/incubating", "ConsumableCapacity")), "a b c");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2/incubating", "ConsumableCapacity")), "a b d");
  EXPECT_THAT(lab.Answer(FeaturesWith("v0.37.2/stable", "")),
              HasSubstr("constraint #0: empty constraint"));
}

TEST(AllocateLiterally, ACommittedShareWithoutARecordPaysOnceSince37) {
  Lab lab;
  lab.Partitions(
      R"([{"name":"a","allowMultipleAllocations":true,
           "consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"10"}}}]}])",
      R"([{"name":"s","counters":{"n":{"value":"10"}}}])");
  lab.Count(1);
  lab.state().shares.insert({.device = {"d.io", "pool", "a"}, .share = "one"});
  const std::string_view switches = "PartitionableDevices ConsumableCapacity";
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.36.6/incubating", switches)), "none");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2/incubating", switches)), "a");
}

// Limits, and one past them.

TEST(AllocateLiterally, AClaimGetsThirtyTwoDevicesAndNoMore) {
  for (const char* profile : {"v0.31.8", "v0.36.6", "v0.37.2/stable", "v0.37.2/incubating"}) {
    const Features features = FeaturesWith(profile, "");
    Lab fits;
    fits.Devices(ManyDevices(33)).Count(32);
    EXPECT_THAT(fits.Answer(features), HasSubstr("d031")) << profile;
    Lab exceeds;
    exceeds.Devices(ManyDevices(33)).Count(33);
    EXPECT_THAT(exceeds.Answer(features), HasSubstr("exceeds the claim limit of 32")) << profile;
  }
}

TEST(AllocateLiterally, AllMeansAtMostThirtyTwo) {
  constexpr std::string_view kAll =
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All"}}]})";
  Lab fits;
  fits.Devices(ManyDevices(32)).Claim(kAll);
  EXPECT_THAT(fits.Answer(FeaturesWith(kNewest, "")), HasSubstr("d031"));
  Lab exceeds;
  exceeds.Devices(ManyDevices(33)).Claim(kAll);
  EXPECT_EQ(exceeds.Answer(FeaturesWith(kNewest, "")),
            "error: claim lab/c0, request r: adding 33 devices exceeds the claim limit of 32, with "
            "0 already accounted for");
}

TEST(AllocateLiterally, AHugeCountIsTooManyOnEveryBranch) {
  Lab lab;
  lab.Devices(ManyDevices(2))
      .Claim(
          R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"ExactCount",
          "count":1}},{"name":"s","firstAvailable":[
          {"name":"huge","deviceClassName":"any","allocationMode":"ExactCount",
           "count":9223372036854775807},
          {"name":"small","deviceClassName":"any","allocationMode":"ExactCount","count":1}]}]})");
  EXPECT_EQ(lab.Answer(FeaturesWith(kNewest, "PrioritizedList")), "d000 d001");
}

TEST(AllocateLiterally, SlicesAsFullAsTheyMayBeAndFuller) {
  std::string attributes;
  for (int i = 0; i < 32; ++i) {
    attributes += fmt::format(R"({}"a{:02}":{{"string":"{:x>64}"}})", i == 0 ? "" : ",", i, i);
  }
  const std::string content = fmt::format(R"(,"attributes":{{{}}})", attributes);
  for (const int devices : {128, 129}) {
    Lab lab;
    lab.Devices(ManyDevices(devices, content));
    lab.Claim(R"json({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
        "allocationMode":"ExactCount","count":1,"selectors":[{"cel":{"expression":
        "device.attributes[\"d.io\"].a31.startsWith(\"xx\")"}}]}}],
        "constraints":[{"matchAttribute":"d.io/a31"}]})json");
    EXPECT_EQ(lab.Answer(FeaturesWith(kNewest, "")), "d000") << devices;
  }
}

TEST(AllocateLiterally, OneOverdrawnCounterBlocksThePool) {
  Lab lab;
  lab.Partitions(
      R"([{"name":"a","consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"5"}}}]},
          {"name":"b","consumesCounters":[{"counterSet":"t","counters":{"n":{"value":"1"}}}]},
          {"name":"c"}])",
      R"([{"name":"s","counters":{"n":{"value":"4"}}},{"name":"t","counters":{"n":{"value":"4"}}}])");
  lab.state().devices.insert({"d.io", "pool", "a"});
  lab.Count(1);
  EXPECT_EQ(lab.Answer(FeaturesWith(kNewest, "PartitionableDevices")), "c");
}

TEST(AllocateLiterally, NegativeCountersAddUpLikeOthers) {
  Lab lab;
  lab.Partitions(
      R"([{"name":"a","consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"-3"}}}]},
          {"name":"b","consumesCounters":[{"counterSet":"s","counters":{"n":{"value":"2"}}}]}])",
      R"([{"name":"s","counters":{"n":{"value":"-1"}}}])");
  lab.Count(2);
  EXPECT_EQ(lab.Answer(FeaturesWith(kNewest, "PartitionableDevices")), "a b");
}

TEST(AllocateLiterally, NamesThatPointAtEachOtherAreOnlyNames) {
  Lab lab;
  lab.Devices(
      R"([{"name":"a","attributes":{"n":{"int":1}}},{"name":"b","attributes":{"n":{"int":1}}}])");
  lab.Claim(
      R"({"requests":[{"name":"x","firstAvailable":[{"name":"y","deviceClassName":"any",
          "allocationMode":"ExactCount","count":1}]},{"name":"y","firstAvailable":[{"name":"x",
          "deviceClassName":"any","allocationMode":"ExactCount","count":1}]}],
          "constraints":[{"matchAttribute":"d.io/n","requests":["x/y","y/x","y","x"]}]})");
  EXPECT_EQ(lab.Answer(FeaturesWith(kNewest, "PrioritizedList")), "a b");
}

// v0.31.8

TEST(AllocateLiterally, AllLeavesOutWhatIsInUseInTheFirstRelease) {
  constexpr std::string_view kAll =
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All"}}]})";
  Lab lab;
  lab.Devices(ManyDevices(3)).Claim(kAll);
  lab.state().devices.insert({"d.io", "pool", "d001"});
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.31.8", "")), "d000 d002");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2", "")), "none");
}

TEST(AllocateLiterally, AfterAllTheFirstReleaseStopsWithAnError) {
  Lab lab;
  lab.Devices(ManyDevices(2));
  lab.Claim(
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All"}},
          {"name":"s","exactly":{"deviceClassName":"any","allocationMode":"ExactCount","count":1}}]})");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.31.8", "")), "error: stop allocation");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2", "")), "none");
}

TEST(AllocateLiterally, AdminAccessCountsAsUseSinceThen) {
  constexpr std::string_view kAdmin =
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"ExactCount",
          "count":2,"adminAccess":true}}]})";
  Lab lab;
  lab.Devices(ManyDevices(1)).Claim(kAdmin);
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.31.8", "")), "d000 d000");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2", "AdminAccess")), "none");
}

// Steps and budget

TEST(AllocateLiterally, PermutationsAndCombinationsTakeTheirSteps) {
  Lab lab;
  lab.Devices(ManyDevices(4)).Count(5);
  EXPECT_EQ(lab.Ask(FeaturesWith("v0.37.2/stable", "")).steps, 65);
  EXPECT_EQ(lab.Ask(FeaturesWith("v0.37.2/incubating", "")).steps, 16);
}

TEST(AllocateLiterally, StopsWhenTheBudgetIsSpent) {
  Lab lab;
  lab.Devices(ManyDevices(20)).Count(21);
  const LiteralAnswer answer = lab.Ask(FeaturesWith(kNewest, ""), {.steps_max = 1000});
  ASSERT_TRUE(answer.outcome);
  EXPECT_EQ(std::get<Undecided>(*answer.outcome).steps, 1000);
}

}  // namespace
}  // namespace dray::allocator::literal
