// SPDX-License-Identifier: Apache-2.0
#include "scheduler/configuration/configuration.h"

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline configuration {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Result<Configuration> Read(const std::string& rest) {
  return ReadConfiguration(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest);
}

TEST(ReadConfiguration, WithoutAnythingItIsTheDefault) {
  const Configuration read = *Read("");
  ASSERT_EQ(read.profiles.size(), 1U);
  EXPECT_EQ(read.profiles[0].name, "default-scheduler");
  EXPECT_EQ(read.profiles[0].filter_timeout, seconds(10));
  EXPECT_EQ(read.profiles[0].binding_timeout, minutes(10));
  EXPECT_EQ(read.queue.backoff_initial, seconds(1));
  EXPECT_EQ(read.queue.backoff_max, seconds(10));
}

TEST(ReadConfiguration, ProfilesHaveTheirTimeouts) {
  const auto read = Read(R"(
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 20
profiles:
- schedulerName: brief
  pluginConfig:
  - name: DynamicResources
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: DynamicResourcesArgs
      filterTimeout: 10ms
      bindingTimeout: 1s
- schedulerName: patient
  pluginConfig: [{name: DynamicResources, args: {filterTimeout: 0s}}]
)");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->profiles.size(), 2U);
  EXPECT_EQ(read->profiles[0].name, "brief");
  EXPECT_EQ(read->profiles[0].filter_timeout, milliseconds(10));
  EXPECT_EQ(read->profiles[0].binding_timeout, seconds(1));
  EXPECT_FALSE(read->profiles[1].filter_timeout.has_value());
  EXPECT_EQ(read->queue.backoff_initial, seconds(2));
  EXPECT_EQ(read->queue.backoff_max, seconds(20));
}

TEST(ReadConfiguration, SpreadingHasUpstreamsDefaultsUnlessListed) {
  EXPECT_EQ(Read("")->profiles[0].spread.constraints.size(), 2U);
  const auto read = Read(R"(
profiles:
- pluginConfig:
  - name: PodTopologySpread
    args:
      kind: PodTopologySpreadArgs
      defaultingType: List
      defaultConstraints: [{maxSkew: 2, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]
)");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const SpreadDefaults& spread = read->profiles[0].spread;
  ASSERT_EQ(spread.constraints.size(), 1U);
  EXPECT_EQ(spread.constraints[0].topology_key, "rack");
  EXPECT_EQ(spread.constraints[0].max_skew, 2);
  EXPECT_TRUE(spread.needs_all_keys);
  const auto nobody =
      Read("profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List}}]}]");
  ASSERT_TRUE(nobody.has_value());
  EXPECT_TRUE(nobody->profiles[0].spread.constraints.empty());
}

TEST(ReadConfiguration, DefaultConstraintsHaveALimit) {
  const auto of = [](size_t count) {
    std::string text =
        "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List, "
        "defaultConstraints: [";
    for (size_t i = 0; i < count; ++i) {
      text +=
          fmt::format("{{maxSkew: 1, topologyKey: k{}, whenUnsatisfiable: ScheduleAnyway}},", i);
    }
    return Read(text + "]}}]}]");
  };
  EXPECT_TRUE(of(kSpreadDefaultsMax).has_value());
  EXPECT_FALSE(of(kSpreadDefaultsMax + 1).has_value());
}

TEST(ReadConfiguration, WhatIsNotHereIsRefusedByName) {
  const struct {
    std::string text, why;
  } cases[] = {
      {"extenders: []", "extenders: is not supported"},
      {"profiles: {}", "profiles: must be a list"},
      {"profiles: [7]", "profiles[0]: must be an object"},
      {"profiles: [{schedulerName: 7}]", "profiles[0].schedulerName: must be a string"},
      {"profiles: [{}, {schedulerName: a}]", "profiles[0].schedulerName: Required value"},
      {"profiles: [{schedulerName: a}, {schedulerName: a}]",
       "profiles[1].schedulerName: Duplicate value: \"a\""},
      {"profiles: [{pluginConfig: [{name: Coscheduling}]}]",
       "profiles[0].pluginConfig[0].name: \"Coscheduling\" is not supported, only "
       "kube-scheduler's own plugins"},
      {"profiles: [{pluginConfig: [{name: NodePorts}, {name: NodePorts}]}]",
       "profiles[0].pluginConfig[1]: Duplicate value: \"NodePorts\""},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: None}}]}]",
       "profiles[0].pluginConfig[0].args.defaultingType: must be System or List"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: "
       "[{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]}}]}]",
       "profiles[0].pluginConfig[0].args.defaultConstraints: when .defaultingType is \"System\", "
       "must be empty"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: "
       "[{topologyKey: a}]}}]}]",
       "profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: must be greater than zero"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: "
       "[{maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}]}}]}]",
       "profiles[0].pluginConfig[0].args.defaultConstraints[0].topologyKey: can not be empty"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: "
       "[{maxSkew: 1, topologyKey: a, whenUnsatisfiable: Never}]}}]}]",
       "profiles[0].pluginConfig[0].args.defaultConstraints[0].whenUnsatisfiable: must be "
       "DoNotSchedule or ScheduleAnyway"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: "
       "[{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}]}}]}]",
       "profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector: constraint must not "
       "define a selector, as they deduced for each pod"},
      {"profiles: [{pluginConfig: [{name: DynamicResources, args: {other: 1}}]}]",
       "profiles[0].pluginConfig[0].args.other: is not supported"},
      {"profiles: [{pluginConfig: [{name: DynamicResources, args: {kind: Pod}}]}]",
       "profiles[0].pluginConfig[0].args.kind: must be DynamicResourcesArgs"},
      {"profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: -1s}}]}]",
       "profiles[0].pluginConfig[0].args.filterTimeout: must be zero or greater"},
      {"profiles: [{pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 999ms}}]}]",
       "profiles[0].pluginConfig[0].args.bindingTimeout: must be at least 1 second"},
      {"profiles: [{pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 8761h}}]}]",
       "profiles[0].pluginConfig[0].args.bindingTimeout: must be at most 8760h"},
      {"podInitialBackoffSeconds: 0",
       "podInitialBackoffSeconds: must be a whole number from 1 to 86400"},
      {"podInitialBackoffSeconds: 11",
       "podMaxBackoffSeconds: must be greater than or equal to PodInitialBackoffSeconds"},
      {"podMaxBackoffSeconds: 86401",
       "podMaxBackoffSeconds: must be a whole number from 1 to 86400"},
  };
  for (const auto& test : cases) {
    const Result<Configuration> read = Read(test.text);
    ASSERT_FALSE(read.has_value()) << test.text;
    EXPECT_EQ(read.error().message, test.why);
  }
  EXPECT_TRUE(Read("podMaxBackoffSeconds: 86400").has_value());
  EXPECT_FALSE(ReadConfiguration("kind: Pod").has_value());
  EXPECT_FALSE(ReadConfiguration("- a").has_value());
}

TEST(ReadConfiguration, ProfilesHaveALimit) {
  const auto profiles = [](size_t count) {
    std::string text = "profiles:\n";
    for (size_t i = 0; i < count; ++i) text += fmt::format("- schedulerName: p{}\n", i);
    return text;
  };
  EXPECT_EQ(Read(profiles(kProfilesMax))->profiles.size(), kProfilesMax);
  EXPECT_EQ(Read(profiles(kProfilesMax + 1)).error().message,
            "profiles: must have at most 64 items");
}

TEST(BudgetOf, StepsStandForTime) {
  EXPECT_EQ(BudgetOf({}).steps_max, 20'000'000);
  EXPECT_EQ(BudgetOf({.filter_timeout = milliseconds(10)}).steps_max, 20'000);
  EXPECT_EQ(BudgetOf({.filter_timeout = std::chrono::nanoseconds(1)}).steps_max, 1);
  EXPECT_EQ(BudgetOf({.filter_timeout = {}}).steps_max, allocator::Budget{}.steps_max);
}

}  // namespace
}  // namespace dray::scheduler::inline configuration
