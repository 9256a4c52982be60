// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/pod_split.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct WantedDevices {
  std::string name;
  int64_t count = 1;  // 0: all devices
};

std::shared_ptr<v1::ResourceClaim> SplitClaim(
    const std::string& name,
    const std::vector<WantedDevices>& requests,
    const std::vector<std::vector<std::string>>& bound = {}) {
  auto claim = std::make_shared<v1::ResourceClaim>();
  claim->metadata = {.name = name, .namespace_ = "n"};
  for (const WantedDevices& wanted : requests) {
    v1::DeviceRequest request{.name = wanted.name};
    request.exactly.emplace();
    request.exactly->allocation_mode = wanted.count == 0 ? "All" : "ExactCount";
    request.exactly->count = wanted.count;
    claim->spec.devices.requests.push_back(std::move(request));
  }
  for (const auto& names : bound) {
    v1::DeviceConstraint constraint{.match_attribute = "a/numa"};
    for (const std::string& one : names) constraint.requests.push_back(one);
    claim->spec.devices.constraints.push_back(std::move(constraint));
  }
  return claim;
}

std::vector<std::string> Texts(const WantedClaims& claims) {
  std::vector<std::string> texts;
  for (const PodSplit& split : SplitsOf(claims)) texts.push_back(split.text);
  return texts;
}

TEST(SplitsOf, DivideBetweenClaimsThenRequestsThenDevices) {
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu"}}), SplitClaim("b", {{"nic"}})}),
              ElementsAre("claim n/a in one, claim n/b in the other"));
  EXPECT_THAT(
      Texts({SplitClaim("a", {{"gpu"}, {"nic"}})}),
      ElementsAre("request gpu of claim n/a in one, request nic of claim n/a in the other"));
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu", 5}})}),
              ElementsAre("3 of 5 devices of request gpu of claim n/a in one, 2 of 5 devices of "
                          "request gpu of claim n/a in the other"));
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu", 4}, {"nic", 2}})}),
              Contains("2 of 4 devices of request gpu of claim n/a and 1 of 2 devices of request "
                       "nic of claim n/a in one, 2 of 4 devices of request gpu of claim n/a and 1 "
                       "of 2 devices of request nic of claim n/a in the other"));
}

TEST(SplitsOf, KeepTogetherWhatConstraintsBindAndWhatCannotBeCounted) {
  EXPECT_THAT(Texts({}), IsEmpty());
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu"}})}), IsEmpty());
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu", 0}})}), IsEmpty());
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu", 8}}, {{"gpu"}})}), IsEmpty());
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu"}, {"nic"}}, {{}})}), IsEmpty());
  EXPECT_THAT(Texts({SplitClaim("a", {{"gpu"}, {"nic"}}, {{"gpu/large", "nic"}})}), IsEmpty());
  EXPECT_THAT(Texts({SplitClaim("a", {{"x"}, {"y"}, {"z"}}, {{"x", "y"}, {"y", "z"}})}), IsEmpty());
  EXPECT_THAT(
      Texts({SplitClaim("a", {{"x"}, {"y"}, {"z"}}, {{"x", "z"}})}),
      ElementsAre("request x of claim n/a and request z of claim n/a in one, request y of claim "
                  "n/a in the other"));
}

TEST(SplitsOf, LeaveRulesAndSettingsWithTheirRequests) {
  const auto claim = SplitClaim("a", {{"x"}, {"y"}, {"z"}}, {{"x", "y"}});
  claim->spec.devices.config.resize(3);
  claim->spec.devices.config[0].requests.push_back("z");
  claim->spec.devices.config[1].requests.push_back("x");
  claim->spec.devices.config[1].requests.push_back("z");
  const std::vector<PodSplit> splits = SplitsOf({claim});
  ASSERT_EQ(splits.size(), 1U);
  const v1::DeviceClaim& rest = splits[0].second.front()->spec.devices;
  EXPECT_EQ(rest.requests.size(), 1U);
  EXPECT_TRUE(rest.constraints.empty());
  ASSERT_EQ(rest.config.size(), 3U);  // the third applies to all requests
  EXPECT_EQ(rest.config[1].requests.size(), 1U);
  const v1::DeviceClaim& bound = splits[0].first.front()->spec.devices;
  EXPECT_EQ(bound.constraints.size(), 1U);
  EXPECT_EQ(bound.config.size(), 2U);
}

TEST(SplitsOf, AreBounded) {
  std::vector<WantedDevices> requests;
  for (int i = 0; i < 32; ++i) requests.push_back({.name = fmt::format("r{}", i), .count = 2});
  const WantedClaims claims = {SplitClaim("a", requests), SplitClaim("b", requests)};
  EXPECT_LE(SplitsOf(claims).size(), kPodSplitsMax);
  EXPECT_THAT(Texts(claims), Contains("claim n/a in one, claim n/b in the other"));
}

}  // namespace
}  // namespace dray::planning::inline explain
