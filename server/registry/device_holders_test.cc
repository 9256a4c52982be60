// SPDX-License-Identifier: Apache-2.0
// Whom devices belong to: what may be allocated beside what others have.
#include "server/registry/device_holders.h"

#include <string>
#include <string_view>
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
using ::testing::IsEmpty;

template <class T>
Frozen<T> Read(const std::string& json) {
  const Result<api::Object> object = api::DecodeJson(api::Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << json;
  return api::FrozenOf<T>(*object);
}

/// A claim with these results; without any it is not allocated.
Frozen<ResourceClaim> Claim(std::string_view name, std::string_view results) {
  const std::string status =
      results.empty() ? "{}"
                      : R"({"allocation":{"devices":{"results":[)" + std::string(results) + "]}}}";
  return Read<ResourceClaim>(R"({"metadata":{"name":")" + std::string(name) +
                             R"(","namespace":"n"},"status":)" + status + "}");
}

/// A result for a device of driver d and pool p, with further members.
std::string Has(std::string_view device, std::string_view more = "") {
  return R"({"request":"r","driver":"d","pool":"p","device":")" + std::string(device) + "\"" +
         std::string(more) + "}";
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
    {"name":"lost","consumesCounters":[{"counterSet":"t","counters":{"slots":{"value":"9"}}}]}])";
constexpr std::string_view kCounters =
    R"("sharedCounters":[{"name":"s","counters":{"slots":{"value":"6"}}}])";

class DeviceHoldersTest : public ::testing::Test {
 protected:
  DeviceHoldersTest() {
    holders_.SetSlice(nullptr, Slice("devices", 2, kDevices));
    holders_.SetSlice(nullptr, Slice("counters", 2, kCounters));
    holders_.SetSlice(nullptr,
                      Slice("old", 1, R"("devices":[{"name":"old","allowMultipleAllocations":true},
                                                    {"name":"whole","allowMultipleAllocations":true}])"));
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
    {"access for administration, first", Has("whole", R"(,"adminAccess":true)"), Has("whole")},
    {"access for administration, second", Has("whole"), Has("whole", R"(,"adminAccess":true)")},
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
     Has("shared", R"(,"shareID":"1","consumedCapacity":{"cores":"6"})"),
     Has("shared", R"(,"shareID":"2","consumedCapacity":{"cores":"6"})")},
    {"the same share",
     Share("shared", "1", "1Gi"),
     Share("shared", "1", "1Gi"),
     "share 1 of device d/p/shared is already allocated to ResourceClaim n/a"},
    {"what allows multiple allocations, without shares", Has("shared"), Has("shared")},
    {"shares of a device that is not shared",
     Share("whole", "1", "1Gi"),
     Share("whole", "2", "1Gi"),
     "device d/p/whole is already allocated to ResourceClaim n/a"},
    {"shares of a device that no slice has", Share("gone", "1", "9Gi"), Share("gone", "2", "9Gi")},
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
     "device d/p/right needs counter slots of s: 3 are asked for and 4 of 6 are already allocated, "
     "among others to ResourceClaim n/a"},
    {"counters that do not suffice for all of it",
     Has("small"),
     Has("right") + "," + Has("small", R"(,"adminAccess":true)") + "," + Has("left"),
     "device d/p/right needs counter slots of s: 7 are asked for and 2 of 6 are already allocated, "
     "among others to ResourceClaim n/a"},
    {"counters that administration looks at", Has("left", R"(,"adminAccess":true)"), Has("right")},
    {"what a claim does to itself", Has("whole"), Has("left") + "," + Has("right")},
    {"a counter set that is not there", Has("lost"), Has("left")},
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
  EXPECT_THAT(about(Has("whole") + "," + Has("shared", R"(,"adminAccess":true)")),
              ElementsAre("device d/p/whole"));
  EXPECT_THAT(about(Has("left")), ElementsAre("device d/p/left", "d/p"));
  EXPECT_THAT(about(Has("gone")), ElementsAre("device d/p/gone"));
}

TEST_F(DeviceHoldersTest, SlicesCountAsTheyAreNow) {
  const auto a = Claim("a", Has("shared"));
  holders_.SetClaim(nullptr, a.get());
  EXPECT_EQ(Asks(Has("shared")), "");
  const auto before = Slice("devices", 2, kDevices);
  const auto after = Slice("devices", 2, R"("devices":[{"name":"shared"}])");
  holders_.SetSlice(before.get(), after);
  EXPECT_EQ(Asks(Has("shared")), "device d/p/shared is already allocated to ResourceClaim n/a");
  holders_.SetSlice(after.get(), nullptr);
  holders_.SetSlice(nullptr, before);
  EXPECT_EQ(Asks(Has("shared")), "");
}

}  // namespace
}  // namespace dray::server::registry
