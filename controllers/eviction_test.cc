// SPDX-License-Identifier: Apache-2.0
#include "controllers/eviction.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace dray::controllers {
namespace {

namespace v1 = api::resource_v1;

constexpr int64_t kAdded = 1'000;

v1::DeviceTaint Taint(std::string key, int64_t added = kAdded) {
  return {.key = std::move(key),
          .value = "v",
          .effect = "NoExecute",
          .time_added = api::Time::FromUnixSeconds(added)};
}

struct Case {
  std::string_view name;
  std::vector<v1::DeviceToleration> tolerations;
  std::string_view want;  // seconds after kAdded and rules, or "stays"
};

std::string Text(const std::optional<Eviction>& eviction) {
  if (!eviction.has_value()) return "stays";
  return fmt::format(
      "{} {}", eviction->at.unix_seconds() - kAdded, fmt::join(eviction->rules, ","));
}

class EvictionTime : public ::testing::TestWithParam<Case> {};

TEST_P(EvictionTime, IsTheEarliestThatNoTolerationEndures) {
  v1::AllocationResult allocation;
  allocation.devices.results.push_back({.device = "d"});
  allocation.devices.results.back().tolerations = GetParam().tolerations;
  const auto taints_of = [](const auto& /*device*/, const VisitTaint& visit) {
    visit(Taint("own", kAdded + 10), {});
    visit(Taint("rule"), "rule-b");
    visit(Taint("rule"), "rule-a");
  };
  EXPECT_EQ(Text(EvictionOf(allocation, taints_of)), GetParam().want);
}

constexpr const char* kExists = "Exists";

const std::vector<Case> kCases = {
    {"Nothing", {}, "0 rule-a,rule-b"},
    {"Another", {{.key = "other", .operator_ = kExists}}, "0 rule-a,rule-b"},
    {"OfOneKey", {{.key = "rule", .operator_ = kExists}}, "10 "},
    {"OfOneValue", {{.key = "rule", .operator_ = "Equal", .value = "v"}}, "10 "},
    {"OfOtherValue", {{.key = "rule", .operator_ = "Equal", .value = "w"}}, "0 rule-a,rule-b"},
    {"WithoutEffectOfAll", {{.operator_ = kExists}}, "stays"},
    {"OfOtherEffect", {{.operator_ = kExists, .effect = "NoSchedule"}}, "0 rule-a,rule-b"},
    {"ForAWhile",
     {{.key = "rule", .operator_ = kExists, .toleration_seconds = 60}},
     "10 rule-a,rule-b"},
    {"TheShortestOfSeveral",
     {{.operator_ = kExists, .toleration_seconds = 7},
      {.operator_ = kExists, .toleration_seconds = 5}},
     "5 rule-a,rule-b"},
    {"ForEverBeatsSeconds",
     {{.operator_ = kExists, .toleration_seconds = 7}, {.operator_ = kExists}},
     "stays"},
    {"LessThanNothing", {{.operator_ = kExists, .toleration_seconds = -9}}, "0 rule-a,rule-b"},
};

INSTANTIATE_TEST_SUITE_P(Tolerations,
                         EvictionTime,
                         ::testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(EvictionTime, EndsWithTheLastMomentThatATimeHolds) {
  v1::AllocationResult allocation;
  allocation.devices.results.push_back({.device = "d"});
  allocation.devices.results.back().tolerations.push_back(
      {.operator_ = kExists, .toleration_seconds = std::numeric_limits<int64_t>::max()});
  const auto taints_of = [](const auto& /*device*/, const VisitTaint& visit) {
    visit(Taint("k"), {});
  };
  EXPECT_EQ(EvictionOf(allocation, taints_of)->at.unix_seconds(), api::kTimeMaxUnixSeconds);
}

TEST(EvictionInProgress, SaysHowFarItIs) {
  const auto text = [](std::string_view effect, const RuleProgress& progress) {
    const auto condition = EvictionInProgress(effect, progress);
    return fmt::format("{} {}: {}", condition.status, condition.reason, condition.message);
  };
  EXPECT_EQ(text("NoExecute", {}), "False NotStarted: ");
  EXPECT_EQ(text("NoExecute", {.pending_pods = 1, .pending_namespaces = 1}),
            "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.");
  EXPECT_EQ(text("NoExecute", {.pending_pods = 3, .pending_namespaces = 2, .evicted_pods = 1}),
            "True PodsPendingEviction: 3 pods need to be evicted in 2 different namespaces. 1 pod "
            "evicted since starting the controller.");
  EXPECT_EQ(text("NoExecute", {.evicted_pods = 4}),
            "False Completed: 4 pods evicted since starting the controller.");
  EXPECT_EQ(text("NoSchedule", {}),
            "False OtherEffect: Eviction only happens for the NoExecute effect.");
  EXPECT_EQ(text("None",
                 {.pending_pods = 1,
                  .pending_namespaces = 1,
                  .published_devices = 2,
                  .allocated_devices = 1}),
            "False NoEffect: 2 published devices selected. 1 allocated device selected. 1 pod "
            "would be evicted in 1 namespace if the effect was NoExecute. This information will "
            "not be updated again. Recreate the DeviceTaintRule to trigger an update.");
}

}  // namespace
}  // namespace dray::controllers
