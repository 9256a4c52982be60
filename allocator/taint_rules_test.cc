// SPDX-License-Identifier: Apache-2.0
#include "dray/taint_rules.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;

Frozen<v1::ResourceSlice> Slice(const std::string& driver, const std::string& pool) {
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->spec.driver = driver;
  slice->spec.pool.name = pool;
  slice->spec.devices = {{.name = "a"}, {.name = "b"}};
  slice->spec.devices[1].taints = {{.key = "own", .effect = "NoExecute"}};
  return slice;
}

Frozen<v1::DeviceTaintRule> Rule(const std::string& key,
                                 std::optional<v1::DeviceTaintSelector> selector) {
  auto rule = std::make_shared<v1::DeviceTaintRule>();
  rule->spec.device_selector = std::move(selector);
  rule->spec.taint = {.key = key, .effect = "NoSchedule"};
  return rule;
}

/// "driver/pool/device:key,key …" of every device with taints.
std::string Taints(const std::vector<Frozen<v1::ResourceSlice>>& slices) {
  std::string all;
  for (const auto& slice : slices) {
    for (const v1::Device& device : slice->spec.devices) {
      if (device.taints.empty()) continue;
      all += slice->spec.driver + "/" + slice->spec.pool.name + "/" + device.name + ":";
      for (const v1::DeviceTaint& taint : device.taints) all += taint.key + ",";
      all.back() = ' ';
    }
  }
  return all;
}

struct TaintRulesCase {
  const char* name;
  std::optional<v1::DeviceTaintSelector> selector;
  const char* want;
};

const TaintRulesCase kCases[] = {
    {"NoSelectorNothing", std::nullopt, "x/p/b:own x/q/b:own y/p/b:own "},
    {"EmptySelectorEverything",
     v1::DeviceTaintSelector{},
     "x/p/a:rule x/p/b:own,rule x/q/a:rule x/q/b:own,rule y/p/a:rule y/p/b:own,rule "},
    {"Driver", {{.driver = "y"}}, "x/p/b:own x/q/b:own y/p/a:rule y/p/b:own,rule "},
    {"PoolOfAnyDriver",
     {{.pool = "p"}},
     "x/p/a:rule x/p/b:own,rule x/q/b:own y/p/a:rule y/p/b:own,rule "},
    {"DeviceOfAnyPool",
     {{.device = "a"}},
     "x/p/a:rule x/p/b:own x/q/a:rule x/q/b:own y/p/a:rule y/p/b:own "},
    {"All", {{.driver = "x", .pool = "q", .device = "b"}}, "x/p/b:own x/q/b:own,rule y/p/b:own "},
    {"NoSuchDevice", {{.driver = "x", .device = "c"}}, "x/p/b:own x/q/b:own y/p/b:own "},
};

class TaintRulesTest : public ::testing::TestWithParam<TaintRulesCase> {};

TEST_P(TaintRulesTest, TaintsWhatItMatches) {
  const std::vector rules{Rule("rule", GetParam().selector)};
  const std::vector slices{Slice("x", "p"), Slice("x", "q"), Slice("y", "p")};
  EXPECT_EQ(Taints(WithTaintsOf(rules, slices)), GetParam().want);
  EXPECT_EQ(Taints(slices), "x/p/b:own x/q/b:own y/p/b:own ") << "the slices given are unchanged";
}

INSTANTIATE_TEST_SUITE_P(Selectors,
                         TaintRulesTest,
                         ::testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(TaintRules, WithoutSelectorMatchedEverythingUpTo136) {
  const std::vector rules{Rule("rule", std::nullopt)};
  EXPECT_EQ(Taints(WithTaintsOf(rules, {Slice("x", "p")}, api::Release::k1_36)),
            "x/p/a:rule x/p/b:own,rule ");
}

TEST(TaintRules, SeveralRulesInOrderAndUntouchedSlicesShared) {
  const std::vector rules{Rule("one", {{.driver = "x"}}), Rule("two", {{.device = "a"}})};
  const std::vector slices{Slice("x", "p"), Slice("y", "p")};
  EXPECT_EQ(Taints(WithTaintsOf(rules, slices)),
            "x/p/a:one,two x/p/b:own,one y/p/a:two y/p/b:own ");
  EXPECT_EQ(WithTaintsOf({}, slices), slices);
  EXPECT_EQ(WithTaintsOf(std::span(rules).first(1), slices)[1], slices[1]);
}

}  // namespace
}  // namespace dray::allocator
