// SPDX-License-Identifier: Apache-2.0
// Holders of devices: which allocations may exist beside those of other claims.
#include "server/registry/device_holders.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/object.h"

namespace dray::server::registry {
namespace {

using api::resource_v1::ResourceClaim;
using api::resource_v1::ResourceSlice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class T>
Frozen<T> Read(const std::string& json) {
  const Result<api::Object> object = api::DecodeJson(api::Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << json;
  return api::FrozenOf<T>(*object);
}

constexpr std::string_view kRequests =
    R"([{"name":"r","exactly":{"deviceClassName":"c"}},
        {"name":"admin","exactly":{"deviceClassName":"c","adminAccess":true}},
        {"name":"none","exactly":{"deviceClassName":"c",
                                  "capacity":{"requests":{"d/memory":"0"}}}},
        {"name":"either","firstAvailable":[
            {"name":"none","deviceClassName":"c","capacity":{"requests":{"memory":"0"}}}]}])";

/// A claim with these results; without any it is not allocated.
Frozen<ResourceClaim> Claim(std::string_view name, std::string_view results) {
  const std::string status =
      results.empty() ? "{}"
                      : R"({"allocation":{"devices":{"results":[)" + std::string(results) + "]}}}";
  return Read<ResourceClaim>(R"({"metadata":{"name":")" + std::string(name) +
                             R"(","namespace":"n"},"spec":{"devices":{"requests":)" +
                             std::string(kRequests) + R"(}},"status":)" + status + "}");
}

/// A result for a device of driver d and pool p, with further members.
std::string Has(std::string_view device, std::string_view more = "") {
  return R"({"request":"r","driver":"d","pool":"p","device":")" + std::string(device) + "\"" +
         std::string(more) + "}";
}

/// The same for the request `request`.
std::string For(std::string_view request, std::string_view device, std::string_view more = "") {
  return R"({"request":")" + std::string(request) + R"(","driver":"d","pool":"p","device":")" +
         std::string(device) + "\"" + std::string(more) + "}";
}

std::string Share(std::string_view device, std::string_view id, std::string_view memory) {
  return Has(device,
             R"(,"shareID":")" + std::string(id) + R"(","consumedCapacity":{"memory":")" +
                 std::string(memory) + "\"}");
}

Frozen<ResourceSlice> Slice(std::string_view name, int generation, std::string_view content) {
  return Read<ResourceSlice>(
      R"({"metadata":{"name":")" + std::string(name) +
      R"("},"spec":{"driver":"d","pool":{"name":"p","resourceSliceCount":2,"generation":)" +
      std::to_string(generation) + "}," + std::string(content) + "}}");
}

constexpr std::string_view kDevices =
    R"("devices":[{"name":"whole"},
    {"name":"shared","allowMultipleAllocations":true,"capacity":{"memory":{"value":"10Gi"}}},
    {"name":"left","consumesCounters":[{"counterSet":"s","counters":{"slots":{"value":"4"}}}]},
    {"name":"right","consumesCounters":[{"counterSet":"s","counters":{"slots":{"value":"3"}}}]},
    {"name":"small","consumesCounters":[{"counterSet":"s","counters":{"slots":{"value":"2"}}}]},
    {"name":"two","allowMultipleAllocations":true,
     "capacity":{"memory":{"value":"10Gi"},"cores":{"value":"8"},"free":{"value":"0"}}},
    {"name":"mig","allowMultipleAllocations":true,"capacity":{"memory":{"value":"10Gi"}},
     "consumesCounters":[{"counterSet":"s","counters":{"slots":{"value":"6"}}}]}])";
constexpr std::string_view kCounters =
    R"("sharedCounters":[{"name":"s","counters":{"slots":{"value":"6"}}}])";

class DeviceHoldersTest : public ::testing::Test {
 protected:
  DeviceHoldersTest() {
    holders_.SetSlice(nullptr, Slice("devices", 2, kDevices).get());
    holders_.SetSlice(nullptr, Slice("counters", 2, kCounters).get());
    holders_.SetSlice(nullptr,
                      Slice("old", 1, R"("devices":[{"name":"old","allowMultipleAllocations":true},
                                                    {"name":"whole","allowMultipleAllocations":true}])")
                          .get());
  }

  std::string Asks(std::string_view results) const {
    return holders_.Judge(*Claim("b", ""), *Claim("b", results)).overlap;
  }

  DeviceHolders holders_;
};

struct Case {
  std::string_view name;
  std::string has;   // claim a
  std::string asks;  // claim b
  std::string overlap = {};
};

const Case kCases[] = {
    {"another device", Has("whole"), Has("shared")},
    {"another pool", Has("whole"), R"({"driver":"d","pool":"q","device":"whole"})"},
    {"another driver", Has("whole"), R"({"driver":"e","pool":"p","device":"whole"})"},
    {"the same",
     Has("whole"),
     Has("shared") + "," + Has("whole"),
     "device d/p/whole is already allocated to ResourceClaim n/a"},
    {"that no slice has",
     Has("gone"),
     Has("gone"),
     "device d/p/gone is already allocated to ResourceClaim n/a"},
    {"whose slice is of an older generation",
     Has("old"),
     Has("old"),
     "device d/p/old is already allocated to ResourceClaim n/a"},
    {"access for administration, first", For("admin", "whole"), Has("whole")},
    {"access for administration, second", Has("whole"), For("admin", "whole")},
    {"what says of itself that it is for administration, first",
     Has("whole", R"(,"adminAccess":true)"),
     Has("whole"),
     "device d/p/whole is already allocated to ResourceClaim n/a"},
    {"what says of itself that it is for administration, second",
     Has("whole"),
     Has("whole", R"(,"adminAccess":true)"),
     "device d/p/whole is already allocated to ResourceClaim n/a"},
    {"no access for administration",
     Has("whole", R"(,"adminAccess":false)"),
     Has("whole"),
     "device d/p/whole is already allocated to ResourceClaim n/a"},
    {"shares up to the capacity", Share("shared", "1", "6Gi"), Share("shared", "2", "4Gi")},
    {"shares beyond the capacity",
     Share("shared", "1", "6Gi"),
     Share("shared", "2", "4097Mi"),
     "4097Mi of capacity memory of device d/p/shared are asked for and 6Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"several shares beyond the capacity",
     Share("shared", "1", "3Gi") + "," + Share("shared", "2", "3Gi"),
     Share("shared", "3", "2Gi") + "," + Share("shared", "4", "2049Mi"),
     "4097Mi of capacity memory of device d/p/shared are asked for and 6Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"a capacity with the driver's domain",
     Has("shared", R"(,"shareID":"1","consumedCapacity":{"d/memory":"6Gi"})"),
     Share("shared", "2", "5Gi"),
     "5Gi of capacity memory of device d/p/shared are asked for and 6Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"a capacity that the device does not have",
     Has("shared", R"(,"shareID":"1","consumedCapacity":{"cores":"6","memory":"1Gi"})"),
     Has("shared", R"(,"shareID":"2","consumedCapacity":{"cores":"6","memory":"1Gi"})")},
    {"the same share",
     Share("shared", "1", "1Gi"),
     Share("shared", "1", "1Gi"),
     "share 1 of device d/p/shared is already allocated to ResourceClaim n/a"},
    {"the same share in other letters",
     Share("shared", "a", "1Gi"),
     Share("shared", "A", "1Gi"),
     "share a of device d/p/shared is already allocated to ResourceClaim n/a"},
    {"what allows multiple allocations, without shares",
     Has("shared"),
     Has("shared"),
     "device d/p/shared is already allocated to ResourceClaim n/a"},
    {"a share beside the whole",
     Has("shared"),
     Share("shared", "1", "1Gi"),
     "device d/p/shared is already allocated to ResourceClaim n/a"},
    {"the whole beside a share",
     Share("shared", "1", "1Gi"),
     Has("shared"),
     "device d/p/shared is already allocated to ResourceClaim n/a"},
    {"a share of which nothing is said",
     Share("shared", "1", "1Gi"),
     Has("shared", R"(,"shareID":"2")"),
     "10Gi of capacity memory of device d/p/shared are asked for and 1Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"a share beside one of which nothing is said",
     Has("shared", R"(,"shareID":"2")"),
     Share("shared", "1", "1Gi"),
     "1Gi of capacity memory of device d/p/shared are asked for and 10Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"a share that names one of two capacities",
     Has("two", R"(,"shareID":"1","consumedCapacity":{"memory":"1Gi"})"),
     Has("two", R"(,"shareID":"2","consumedCapacity":{"memory":"1Gi","cores":"1"})"),
     "1 of capacity cores of device d/p/two are asked for and 8 of 8 are already allocated, among "
     "others to ResourceClaim n/a"},
    {"two spellings of one capacity",
     Share("shared", "1", "6Gi"),
     Has("shared", R"(,"shareID":"2","consumedCapacity":{"d/memory":"1Gi","memory":"4Gi"})"),
     "5Gi of capacity memory of device d/p/shared are asked for and 6Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"a negative share of another server",
     Share("shared", "1", "-10Gi"),
     Share("shared", "2", "1Gi"),
     "1Gi of capacity memory of device d/p/shared are asked for and 10Gi of 10Gi are already "
     "allocated, among others to ResourceClaim n/a"},
    {"shares of a device that is not shared",
     Share("whole", "1", "1Gi"),
     Share("whole", "2", "1Gi"),
     "device d/p/whole is already allocated to ResourceClaim n/a"},
    {"shares of a device that no slice has",
     Share("gone", "1", "9Gi"),
     Share("gone", "2", "9Gi"),
     "device d/p/gone is already allocated to ResourceClaim n/a"},
    {"what no slice has, in a pool with counters",
     Has("whole"),
     Has("gone"),
     "device d/p/gone may need what ResourceClaim n/a has of its pool: device gone is not "
     "published"},
    {"counters beside what no slice has",
     Has("gone"),
     Has("small"),
     "device d/p/small may need what ResourceClaim n/a has of its pool: device gone of "
     "ResourceClaim n/a is not published"},
    {"a device without counters beside what no slice has", Has("gone"), Has("whole")},
    {"shares draw once from the counters", Share("mig", "1", "5Gi"), Share("mig", "2", "5Gi")},
    {"a share and the whole of a device that no slice has",
     Has("gone"),
     Share("gone", "2", "9Gi"),
     "device d/p/gone is already allocated to ResourceClaim n/a"},
    {"the whole and a share of a device that no slice has",
     Share("gone", "1", "9Gi"),
     Has("gone"),
     "device d/p/gone is already allocated to ResourceClaim n/a"},
    {"counters that suffice", Has("left"), Has("small")},
    {"counters that do not",
     Has("left"),
     Has("right"),
     "device d/p/right needs 3 of counter slots of s, of which 2 are left beside ResourceClaim "
     "n/a"},
    {"counters that administration looks at", For("admin", "left"), Has("right")},
};

TEST_F(DeviceHoldersTest, WhatAnotherHasIsRefusedAsFarAsItIsExclusive) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.name);
    const auto a = Claim("a", each.has);
    holders_.SetClaim(nullptr, a.get());
    EXPECT_EQ(Asks(each.asks), each.overlap);
    holders_.SetClaim(a.get(), nullptr);
    EXPECT_EQ(Asks(each.asks), "") << "the other claim is gone";
  }
}

TEST_F(DeviceHoldersTest, AClaimNeverStandsInItsOwnWay) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.name);
    const auto b = Claim("b", each.has);
    holders_.SetClaim(nullptr, b.get());
    EXPECT_EQ(Asks(each.asks), "");
    holders_.SetClaim(b.get(), nullptr);
  }
}

TEST_F(DeviceHoldersTest, WhatAClaimTakesIsAddedUp) {
  const std::pair<std::string, std::string_view> cases[] = {
      {Has("whole") + "," + Has("whole"), "device d/p/whole is asked for more than once"},
      {Has("whole") + "," + For("none", "whole"), "device d/p/whole is asked for more than once"},
      {Has("whole") + "," + For("admin", "whole"), ""},
      {Has("shared") + "," + Share("shared", "1", "1Gi"),
       "device d/p/shared is asked for more than once"},
      {Share("shared", "1", "1Gi") + "," + Share("shared", "1", "2Gi"),
       "share 1 of device d/p/shared is asked for more than once"},
      {Share("shared", "1", "5Gi") + "," + Share("shared", "2", "5Gi"), ""},
      {Share("shared", "1", "5Gi") + "," + Share("shared", "2", "6Gi"),
       "11Gi of capacity memory of device d/p/shared are asked for, and it has 10Gi"},
      {Share("shared", "1", "11Gi"),
       "11Gi of capacity memory of device d/p/shared are asked for, and it has 10Gi"},
      {Has("left") + "," + Has("small"), ""},
      {Has("left") + "," + Has("right"),
       "device d/p/right needs 3 of counter slots of s, of which 2 are left"},
      {Has("right") + "," + For("admin", "small") + "," + Has("left"),
       "device d/p/left needs 4 of counter slots of s, of which 3 are left"},
      {Has("gone"), ""},
      {Has("gone") + "," + Has("left"),
       "device d/p/left may need what the claim itself has of its pool: device gone is not "
       "published"},
  };
  for (const auto& [asks, overlap] : cases) EXPECT_EQ(Asks(asks), overlap) << asks;
}

TEST_F(DeviceHoldersTest, AmountsThatAreNoneAreRefused) {
  constexpr std::string_view kZero =
      "must be greater than zero: the request does not ask for nothing";
  const std::string zero = R"(,"shareID":"1","consumedCapacity":{"memory":"0"})";
  const std::pair<std::string, std::string_view> cases[] = {
      {Share("shared", "1", "40Gi") + "," + Share("shared", "2", "-40Gi"), "must not be negative"},
      {Share("whole", "1", "-1"), "must not be negative"},
      {Share("gone", "1", "-1"), "must not be negative"},
      {Has("shared", R"(,"shareID":"1","consumedCapacity":{"cores":"-1","memory":"1Gi"})"),
       "must not be negative"},
      {Has("shared", zero), kZero},
      {Has("shared", R"(,"shareID":"1","consumedCapacity":{"d/memory":"0"})"), kZero},
      {Has("two", R"(,"shareID":"1","consumedCapacity":{"memory":"0","cores":"1","free":"0"})"),
       kZero},
      {Has("two", R"(,"shareID":"1","consumedCapacity":{"memory":"1","cores":"1","free":"0"})"),
       ""},
      {For("none", "shared", zero), ""},
      {For("either/none", "shared", zero), ""},
  };
  for (const auto& [asks, why] : cases) {
    const auto verdict = holders_.Judge(*Claim("b", ""), *Claim("b", asks));
    if (why.empty()) {
      EXPECT_FALSE(verdict.bad_amount.has_value()) << asks;
    } else if (verdict.overlap.empty()) {
      ASSERT_TRUE(verdict.bad_amount.has_value()) << asks;
      EXPECT_THAT(verdict.bad_amount->message, HasSubstr(why)) << asks;
    } else {
      EXPECT_EQ(why, "must not be negative") << "the sum is looked at first: " << asks;
    }
  }
}

// A new generation comes slice by slice, and slices may go while claims have their devices.
TEST_F(DeviceHoldersTest, NothingIsGivenAwayAgainWhileThePoolIsNotWhollyKnown) {
  const auto a = Claim("a", Has("left") + "," + Share("shared", "1", "1Gi"));
  holders_.SetClaim(nullptr, a.get());
  const std::string share = Share("shared", "2", "1Gi");
  EXPECT_EQ(Asks(Has("small")), "");
  EXPECT_EQ(Asks(share), "");
  const auto devices = Slice("devices", 2, kDevices);
  const auto counters = Slice("counters", 2, kCounters);
  const auto expect_refused = [&](std::string_view gap) {
    EXPECT_THAT(Asks(Has("small")), HasSubstr(gap));
    EXPECT_THAT(Asks(share), HasSubstr(gap));
    EXPECT_EQ(Asks(Has("left")), "device d/p/left is already allocated to ResourceClaim n/a");
  };
  const auto next = Slice("devices", 3, kDevices);
  holders_.SetSlice(devices.get(), next.get());
  expect_refused("1 of 2 slices of its generation 3 are published");
  EXPECT_EQ(Asks(Has("whole")), "") << "is known, and no claim has it";
  holders_.SetSlice(next.get(), devices.get());
  EXPECT_EQ(Asks(Has("small")), "");

  holders_.SetSlice(counters.get(), nullptr);
  expect_refused("1 of 2 slices of its generation 2 are published");
  const auto other = Slice("counters", 2, R"("sharedCounters":[{"name":"t","counters":{}}])");
  holders_.SetSlice(nullptr, other.get());
  EXPECT_THAT(Asks(Has("small")), HasSubstr("is not published"));
  holders_.SetSlice(other.get(), counters.get());
  EXPECT_EQ(Asks(Has("small")), "");

  const auto fewer = Slice(
      "devices",
      2,
      R"("devices":[{"name":"small","consumesCounters":[{"counterSet":"s","counters":{"slots":{"value":"2"}}}]}])");
  holders_.SetSlice(devices.get(), fewer.get());
  EXPECT_THAT(Asks(Has("small")), HasSubstr("of ResourceClaim n/a is not published"));
  holders_.SetSlice(fewer.get(), nullptr);
  EXPECT_THAT(Asks(Has("small")), HasSubstr("1 of 2 slices"));
  holders_.SetSlice(counters.get(), nullptr);
  EXPECT_THAT(Asks(Has("small")), HasSubstr("of its generation 1"));
  holders_.SetClaim(a.get(), nullptr);
  EXPECT_EQ(Asks(Has("small")), "") << "no claim has anything of the pool";
}

TEST_F(DeviceHoldersTest, OfAPoolThatNobodyPublishedNothingIsGuessed) {
  const auto in_pool = [](std::string_view device) {
    return R"({"request":"r","driver":"d","pool":"q","device":")" + std::string(device) + "\"}";
  };
  const auto a = Claim("a", in_pool("x"));
  holders_.SetClaim(nullptr, a.get());
  EXPECT_EQ(Asks(in_pool("y")), "");
  EXPECT_EQ(Asks(in_pool("x")), "device d/q/x is already allocated to ResourceClaim n/a");
}

TEST_F(DeviceHoldersTest, OnlyWhatIsNewIsJudged) {
  const auto a = Claim("a", Has("whole"));
  const auto b = Claim("b", Has("whole"));
  holders_.SetClaim(nullptr, a.get());
  holders_.SetClaim(nullptr, b.get());  // of an older server
  EXPECT_EQ(holders_.Judge(*b, *b).overlap, "");
  EXPECT_THAT(holders_.Judge(*b, *b).decided_about, IsEmpty());
  EXPECT_EQ(holders_.Judge(*b, *Claim("b", "")).overlap, "");
  EXPECT_EQ(Asks(Has("whole")), "device d/p/whole is already allocated to ResourceClaim n/a");
  holders_.SetClaim(a.get(), Claim("a", "").get());
  EXPECT_EQ(Asks(Has("whole")), "");
}

TEST_F(DeviceHoldersTest, WhatWasDecidedAboutIsNamed) {
  const auto about = [&](const std::string& results) {
    return holders_.Judge(*Claim("b", ""), *Claim("b", results)).decided_about;
  };
  EXPECT_THAT(about(Has("whole") + "," + For("admin", "shared")), ElementsAre("device d/p/whole"));
  EXPECT_THAT(about(Has("left")), ElementsAre("device d/p/left", "d/p"));
  EXPECT_THAT(about(Has("gone")), ElementsAre("device d/p/gone", "d/p"));
}

TEST_F(DeviceHoldersTest, SlicesCountAsTheyAreNow) {
  const auto a = Claim("a", Share("shared", "1", "1Gi"));
  const std::string share = Share("shared", "2", "1Gi");
  holders_.SetClaim(nullptr, a.get());
  EXPECT_EQ(Asks(share), "");
  const auto before = Slice("devices", 2, kDevices);
  const auto after = Slice("devices", 2, R"("devices":[{"name":"shared"}])");
  holders_.SetSlice(before.get(), after.get());
  EXPECT_EQ(Asks(share), "device d/p/shared is already allocated to ResourceClaim n/a");
  holders_.SetSlice(after.get(), nullptr);
  holders_.SetSlice(nullptr, before.get());
  EXPECT_EQ(Asks(share), "");
}

}  // namespace
}  // namespace dray::server::registry
