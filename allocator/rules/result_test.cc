// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/result.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/rules/release_rules.h"
#include "allocator/testing/lab.h"
#include "api/resource_v1/allocation.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;
using testing::FeaturesWith;
using testing::Lab;

v1::AllocationResult ResultOf(const Lab& lab, const Features& features) {
  const literal::LiteralAnswer answer = lab.Ask(features);
  EXPECT_TRUE(answer.outcome);
  return std::get<Allocation>(*answer.outcome).results.at(0);
}

/// "Class:r,s Claim:" for two entries of the configuration.
std::string ConfigOf(const v1::AllocationResult& result) {
  std::string text;
  for (const v1::DeviceAllocationConfiguration& entry : result.devices.config) {
    if (!text.empty()) text += " ";
    text += fmt::format("{}:{}", entry.source.substr(4), fmt::join(entry.requests, ","));
  }
  return text;
}

constexpr std::string_view kOpaque = R"("opaque":{"driver":"d.io","parameters":{}})";

TEST(BuildResult, ConfigurationByRelease) {
  Lab lab;
  lab.Class(
      fmt::format(R"({{"metadata":{{"name":"set"}},"spec":{{"config":[{{{}}}]}}}})", kOpaque));
  lab.Devices(R"([{"name":"a"},{"name":"b"},{"name":"c"}])");
  const auto request = [](std::string_view name, std::string_view device_class) {
    return fmt::format(R"({{"name":"{}","exactly":{{"deviceClassName":"{}",)"
                       R"("allocationMode":"ExactCount","count":1}}}})",
                       name,
                       device_class);
  };
  const auto config = [](std::string_view requests) {
    return fmt::format(R"({{"requests":[{}],{}}})", requests, kOpaque);
  };
  lab.Claim(fmt::format(R"({{"requests":[{},{},{}],"config":[{},{},{},{}]}})",
                        request("r", "set"),
                        request("s", "set"),
                        request("t", "any"),
                        config(""),
                        config(R"("r","s")"),
                        config(R"("gone")"),
                        config(R"("r","s","t")")));
  EXPECT_EQ(ConfigOf(ResultOf(lab, FeaturesWith("v0.37.2", ""))),
            "Class:r,s Claim: Claim:r,s Claim:");
  EXPECT_EQ(ConfigOf(ResultOf(lab, FeaturesWith("v0.36.6", ""))),
            "Class:r,s Claim: Claim:r,s Claim:r,s Claim:r,s,t Claim:r,s,t Claim:r,s,t");
  EXPECT_EQ(ConfigOf(ResultOf(lab, FeaturesWith("v0.31.8", ""))),
            "Class: Class: Claim: Claim:r,s Claim:gone Claim:r,s,t");
}

/// The name of the only node that the result is for; "" for any.
std::string PinOf(const v1::AllocationResult& result) {
  if (!result.node_selector.has_value()) return {};
  const auto& term = result.node_selector->node_selector_terms.at(0);
  return term.match_fields.empty() ? "selector" : term.match_fields[0].values.at(0);
}

TEST(BuildResult, TiesTheClaimToTheNode) {
  constexpr std::string_view kAnywhere =
      R"({{"metadata":{{"name":"s"}},"spec":{{"driver":"d.io","allNodes":true,
          "pool":{{"name":"p","generation":1,"resourceSliceCount":1}},"devices":[{}]}}}})";
  Lab own;
  own.Devices(R"([{"name":"a"}])").Count(1);
  Lab anywhere;
  anywhere.Slice(fmt::format(kAnywhere, R"({"name":"a"})")).Count(1);
  Lab bound;
  bound.Slice(fmt::format(kAnywhere, R"({"name":"a","bindsToNode":true})")).Count(1);
  for (const char* profile :
       {"v0.31.8", "v0.36.6/stable", "v0.37.2/stable", "v0.37.2/incubating"}) {
    const Features features = FeaturesWith(profile, "");
    EXPECT_EQ(PinOf(ResultOf(own, features)), "node") << profile;
    EXPECT_EQ(PinOf(ResultOf(anywhere, features)), "") << profile;
    EXPECT_EQ(PinOf(ResultOf(bound, features)), RulesOf(features).knows_binding ? "node" : "");
  }
}

TEST(BuildResult, AdminAccessIsMarkedSinceThen) {
  Lab lab;
  lab.Devices(R"([{"name":"a"}])")
      .Claim(
          R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"ExactCount",
          "count":1,"adminAccess":true}}]})");
  EXPECT_TRUE(ResultOf(lab, FeaturesWith("v0.37.2", "AdminAccess"))
                  .devices.results.at(0)
                  .admin_access.value_or(false));
  EXPECT_FALSE(
      ResultOf(lab, FeaturesWith("v0.31.8", "")).devices.results.at(0).admin_access.has_value());
}

}  // namespace
}  // namespace dray::allocator::rules
