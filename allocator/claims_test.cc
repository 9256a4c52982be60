// SPDX-License-Identifier: Apache-2.0
#include "dray/claims.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/testing/lab.h"
#include "api/value/quantity.h"
#include "base/frozen.h"

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;
using testing::FromJson;

// A whole device, two shares of another, and one that its holder only looks at.
constexpr std::string_view kClaim = R"({
  "spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"any"}},
    {"name":"look","exactly":{"deviceClassName":"any","adminAccess":true}}]}},
  "status":{"allocation":{"devices":{"results":[
    {"request":"r","driver":"d.io","pool":"p","device":"whole"},
    {"request":"r","driver":"d.io","pool":"p","device":"parted","shareID":"s1",
     "consumedCapacity":{"memory":"2Gi"}},
    {"request":"r","driver":"d.io","pool":"p","device":"parted","shareID":"s2",
     "consumedCapacity":{"memory":"3Gi"}},
    {"request":"look","driver":"d.io","pool":"p","device":"seen","adminAccess":true}]}}}})";

/// "devices; shares; capacities", each in order.
std::string Text(const AllocatedState& state) {
  std::string text;
  for (const DeviceId& id : state.devices) text += id.device + " ";
  text += ";";
  for (const SharedDeviceId& id : state.shares) text += " " + id.device.device + "#" + id.share;
  text += ";";
  for (const auto& [id, amounts] : state.capacity) {
    for (const auto& [name, amount] : amounts)
      text += " " + id.device + "." + name + "=" + amount.ToString();
  }
  return text;
}

std::string StateText(std::string_view claim, const Features& features = {}) {
  const auto stored = std::make_shared<const v1::ResourceClaim>(FromJson<v1::ResourceClaim>(claim));
  return Text(StateOf({&stored, 1}, features));
}

TEST(StateOfClaims, AdminAccessTakesNothingAndSharesAddUp) {
  EXPECT_EQ(StateText(kClaim), "whole ; parted#s1 parted#s2; parted.memory=5Gi");
}

TEST(StateOfClaims, WithoutTheFeatureSharesAreWholeDevices) {
  EXPECT_EQ(StateText(kClaim, {.consumable_capacity = false}), "parted whole ;;");
}

TEST(StateOfClaims, AdminAccessTookDevicesIn131) {
  EXPECT_EQ(StateText(kClaim, {.consumable_capacity = false, .release = api::Release::k1_31}),
            "parted seen whole ;;");
}

TEST(StateOfClaims, AResultHasAdminAccessOnlyIfItsRequestHas) {
  std::string claim(kClaim);
  claim.replace(claim.find(R"(,"adminAccess":true}}]})"), 19, "");
  EXPECT_EQ(StateText(claim), "seen whole ; parted#s1 parted#s2; parted.memory=5Gi");
}

TEST(StateOfClaims, AClaimWithoutAllocationHoldsNothing) {
  EXPECT_EQ(StateText(R"({"spec":{"devices":{}}})"), ";;");
}

}  // namespace
}  // namespace dray::allocator
