// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/first_failure.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

using Claim = Frozen<v1::ResourceClaim>;

struct WantedFailure {
  const char* request;
  int64_t count;
};

Claim MakeClaim(const char* name,
                const std::vector<WantedFailure>& wanted,
                bool same_root = false) {
  auto claim = std::make_shared<v1::ResourceClaim>();
  claim->metadata.namespace_ = "default";
  claim->metadata.name = name;
  for (const WantedFailure& want : wanted) {
    v1::DeviceRequest& request = claim->spec.devices.requests.emplace_back();
    request.name = want.request;
    request.exactly = v1::ExactDeviceRequest{
        .device_class_name = "gpu", .allocation_mode = "ExactCount", .count = want.count};
  }
  if (same_root) {
    claim->spec.devices.constraints.push_back({.match_attribute = "gpu.example.com/root"});
  }
  return claim;
}

/// Four devices of one node: three of root 0, one of root 1.
class FirstFailureTest : public ::testing::Test {
 protected:
  FirstFailureTest() {
    auto slice = std::make_shared<v1::ResourceSlice>();
    slice->spec.driver = "gpu.example.com";
    slice->spec.pool = {.name = "n", .generation = 1, .resource_slice_count = 1};
    slice->spec.node_name = "n";
    for (int64_t i = 0; i < 4; ++i) {
      v1::Device& device = slice->spec.devices.emplace_back();
      device.name = "gpu-" + std::to_string(i);
      device.attributes["root"].int_ = i / 3;
    }
    auto gpu = std::make_shared<v1::DeviceClass>();
    gpu->metadata.name = "gpu";
    snapshot_.emplace(allocator::Snapshot({}, {slice}, {gpu}, {}));
    node_.metadata.name = "n";
  }

  Result<allocator::Outcome> Search(std::span<const Claim> claims, int64_t steps = 1'000'000) {
    return allocator::Attempt(*snapshot_, claims).Allocate(node_, {.steps_max = steps});
  }

  /// "claim request: why", or "fits".
  std::string Failure(const std::vector<Claim>& claims) {
    const auto failure =
        FindFirstFailure(claims, [this](std::span<const Claim> some) { return Search(some); });
    return failure ? failure->claim + " " + failure->request + ": " + ToString(*failure) : "fits";
  }

  std::optional<allocator::Snapshot> snapshot_;
  api::core_v1::Node node_;
};

constexpr const char* kTogether =
    "it would fit alone, but not together with what is asked for before it";

TEST_F(FirstFailureTest, WhatFitsHasNone) {
  EXPECT_EQ(Failure({}), "fits");
  EXPECT_EQ(Failure({MakeClaim("nothing", {})}), "fits");
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 2}, {"y", 2}})}), "fits");
}

TEST_F(FirstFailureTest, ARequestThatIsTooMuchAlone) {
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 5}})}), "default/a x: too few free devices match it");
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 1}}), MakeClaim("b", {{"y", 1}, {"z", 5}})}),
            "default/b z: too few free devices match it");
}

TEST_F(FirstFailureTest, ARequestThatIsTooMuchBesideOthers) {
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 2}, {"y", 3}, {"z", 9}})}),
            std::string("default/a y: ") + kTogether);
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 4}}), MakeClaim("b", {{"y", 1}})}),
            std::string("default/b y: ") + kTogether);
}

TEST_F(FirstFailureTest, AConstraintBetweenTheDevicesOfOneRequest) {
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 3}}, true)}), "fits");
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 4}}, true)}),
            "default/a x: enough free devices match it, but no set of them meets the claim's "
            "constraints");
  EXPECT_EQ(Failure({MakeClaim("a", {{"x", 1}, {"y", 3}}, true)}),
            std::string("default/a y: ") + kTogether);
}

TEST_F(FirstFailureTest, AnErrorOfTheAllocatorIsTheReason) {
  auto broken = std::make_shared<v1::ResourceClaim>(*MakeClaim("a", {{"x", 1}, {"y", 1}}));
  broken->spec.devices.requests[1].exactly->device_class_name = "tpu";
  EXPECT_TRUE(Failure({broken}).starts_with("default/a y: ")) << Failure({broken});
  EXPECT_NE(Failure({broken}).find("tpu"), std::string::npos) << Failure({broken});
}

TEST_F(FirstFailureTest, ASearchThatIsGivenUpIsNoProof) {
  const std::vector claims{MakeClaim("a", {{"x", 4}})};
  const auto failure =
      FindFirstFailure(claims, [this](std::span<const Claim> some) { return Search(some, 1); });
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->obstacle, Obstacle::kUndecided);
}

TEST(FailureGroups, EqualFailuresAreOneLine) {
  FailureGroups groups;
  const FirstFailure few{.claim = "default/a", .request = "x"};
  for (const char* node : {"n1", "n2", "n3", "n4", "n5", "n6", "n7"}) groups.Add(few, node);
  groups.Add({.claim = "default/a", .request = "y", .obstacle = Obstacle::kTogether}, "m");
  groups.Add(few, "n8");
  ASSERT_EQ(groups.groups().size(), 2);
  EXPECT_EQ(ToString(groups.groups()[0]),
            "claim default/a, request x: too few free devices match it (nodes n1, n2, n3, n4, n5 "
            "and 3 more)");
  EXPECT_EQ(ToString(groups.groups()[1]),
            std::string("claim default/a, request y: ") + kTogether + " (node m)");
}

}  // namespace
}  // namespace dray::planning::inline explain
