// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha1.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"
#include "api/resource_v1beta2.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api::conversion {
namespace {

namespace a1 = resource_v1alpha1;
namespace a2 = resource_v1alpha2;
namespace a3 = resource_v1alpha3;
namespace b1 = resource_v1beta1;
namespace v1 = resource_v1;

constexpr Wire kStored = {.stored = true};

Object ReadStored(const KindInfo& kind, std::string_view json, Wire wire = {}) {
  DecodeIssues issues;
  Result<Object> object = DecodeJson(kind, json, &issues, wire);
  EXPECT_TRUE(object.has_value()) << json;
  EXPECT_TRUE(issues.empty()) << json << issues.front();
  return *object;
}

// The JSON that a client of `version` reads.
std::string Show(const Object& hub, const KindInfo& version, Release release = Release::kAny) {
  return ToJson(FromHub(hub, version, release), {.release = release});
}

// The object stored after a client of `version` wrote `json` over `stored`.
Object Write(const Object& stored,
             const KindInfo& version,
             std::string_view json,
             Release release = Release::kAny) {
  Object next = ToHub(ReadStored(version, json, {.release = release}), release);
  MergeBack(version, stored, next, release);
  return next;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

std::vector<const KindInfo*> VersionsOf(const KindInfo& hub) {
  std::vector<const KindInfo*> versions;
  for (const KindInfo* kind : BuiltinKinds()) {
    if (&kind->storage() == &hub) versions.push_back(kind);
  }
  return versions;
}

// Reading through any version of any release and writing back changes nothing.
TEST(MergeBackProperty, ReadingAndWritingBackChangesNothing) {
  SeededRandom random(20261121);
  size_t checked = 0;
  for (const KindInfo* hub : BuiltinKinds()) {
    if (hub->group != "resource.k8s.io" || &hub->storage() != hub || !hub->served) continue;
    for (int turn = 0; turn < 20; ++turn) {
      const Object stored = testing::RandomObject(*hub, random, {.wire = kStored});
      const std::string before = ToJson(stored, kStored);
      for (const KindInfo* version : VersionsOf(*hub)) {
        for (int minor = 25; minor <= MinorOf(Release::kNewest); ++minor) {
          // 25 stands for all releases together.
          const Release release = minor == 25 ? Release::kAny : static_cast<Release>(minor);
          if (!version->in.Has(release)) continue;
          const Object next = Write(stored, *version, Show(stored, *version, release), release);
          ASSERT_EQ(ToJson(next, kStored), before)
              << version->api_version << " " << version->kind << " in 1." << minor;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 2000U);
}

// Devices that stay keep their hidden fields, in any order; removed devices lose them.
TEST(MergeBackProperty, ElementsKeepTheirHiddenPartsInAnyOrder) {
  SeededRandom random(7);
  for (int turn = 0; turn < 50; ++turn) {
    const Object stored = testing::RandomObject(
        Reflected<v1::ResourceSlice>::kKind, random, {.elements_max = 6, .wire = kStored});
    const auto& before = stored.As<v1::ResourceSlice>().spec.devices;
    Object seen = FromHub(stored, Reflected<a3::ResourceSlice>::kKind).Clone();
    auto& devices = seen.Mutable<a3::ResourceSlice>().spec.devices;
    std::ranges::reverse(devices);
    if (!devices.empty()) devices.erase(devices.begin());
    const Object next = Write(stored, seen.kind(), ToJson(seen));
    const auto& after = next.As<v1::ResourceSlice>().spec.devices;
    ASSERT_EQ(after.size(), devices.size());
    for (const v1::Device& device : after) {
      const auto same = std::ranges::find(before, device.name, &v1::Device::name);
      ASSERT_NE(same, before.end());
      EXPECT_EQ(device, *same);
    }
  }
}

Object StoredClaim() {
  return ReadStored(Reflected<v1::ResourceClaim>::kKind,
                    R"({"metadata":{"name":"c"},"spec":{"controller":"d.example","devices":{
    "requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1,
      "capacity":{"requests":{"memory":"1Gi"}}}}],
    "constraints":[{"requests":["r"],"matchAttribute":"a/b"},{"requests":["r"],"distinctAttribute":"a/c"}]}},
  "status":{"deallocationRequested":true,"allocation":{"controller":"d.example","devices":{"results":[
      {"request":"r","driver":"d","pool":"p","device":"x","shareID":"s-1"},
      {"request":"r","driver":"d","pool":"p","device":"x","shareID":"s-2"}]}}}})",
                    kStored);
}

const KindInfo& OldClaim() {
  return Reflected<a3::ResourceClaim>::kKind;
}

TEST(MergeBack, WhatTheWriterChangedStaysChanged) {
  const Object stored = StoredClaim();
  const std::string seen = Show(stored, OldClaim(), Release::k1_33);
  const std::string changed =
      Replaced(seen, R"("deviceClassName":"gpu")", R"("deviceClassName":"nic")");
  const Object next = Write(stored, OldClaim(), changed, Release::k1_33);
  EXPECT_EQ(
      ToJson(next, kStored),
      Replaced(
          ToJson(stored, kStored), R"("deviceClassName":"gpu")", R"("deviceClassName":"nic")"));
}

TEST(MergeBack, ClearingTheAllocationClearsWhatBelongsToIt) {
  const Object stored = StoredClaim();
  Object seen = FromHub(stored, OldClaim(), Release::k1_33).Clone();
  seen.Mutable<a3::ResourceClaim>().status.allocation.reset();
  const Object next =
      Write(stored, OldClaim(), ToJson(seen, {.release = Release::k1_33}), Release::k1_33);
  const auto& claim = next.As<v1::ResourceClaim>();
  EXPECT_FALSE(claim.status.allocation.has_value());
  EXPECT_FALSE(claim.status.deallocation_requested);
  EXPECT_EQ(claim.spec.controller, "d.example");
}

TEST(MergeBack, ARequestOfAWriterThatSeesItIsItsOwn) {
  const Object stored = StoredClaim();
  Object seen = FromHub(stored, OldClaim(), Release::k1_31).Clone();
  seen.Mutable<a3::ResourceClaim>().status.allocation.reset();
  const Object next =
      Write(stored, OldClaim(), ToJson(seen, {.release = Release::k1_31}), Release::k1_31);
  EXPECT_TRUE(next.As<v1::ResourceClaim>().status.deallocation_requested);
}

TEST(MergeBack, SharesOfOneDeviceAreToldApartInOrder) {
  const Object stored = StoredClaim();
  Object seen = FromHub(stored, OldClaim(), Release::k1_33).Clone();
  auto& results = seen.Mutable<a3::ResourceClaim>().status.allocation->devices.results;
  results.insert(results.begin(),
                 {.request = "r", .driver = "d", .pool = "p", .device = "another"});
  const Object next =
      Write(stored, OldClaim(), ToJson(seen, {.release = Release::k1_33}), Release::k1_33);
  std::vector<std::string> shares;
  for (const auto& result : next.As<v1::ResourceClaim>().status.allocation->devices.results) {
    shares.push_back(result.share_id.value_or("-"));
  }
  EXPECT_EQ(shares, (std::vector<std::string>{"-", "s-1", "s-2"}));
}

TEST(MergeBack, ConstraintsWithoutANameAreMatchedByContent) {
  const Object stored = StoredClaim();
  Object seen = FromHub(stored, OldClaim(), Release::k1_33).Clone();
  auto& constraints = seen.Mutable<a3::ResourceClaim>().spec.devices.constraints;
  constraints.erase(constraints.begin());
  const Object next =
      Write(stored, OldClaim(), ToJson(seen, {.release = Release::k1_33}), Release::k1_33);
  const auto& kept = next.As<v1::ResourceClaim>().spec.devices.constraints;
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].distinct_attribute, "a/c");
}

TEST(MergeBack, AnEmptyExactRequestSurvivesFlatVersions) {
  const Object stored =
      ReadStored(Reflected<v1::ResourceClaim>::kKind,
                 R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{}}]}}})");
  const KindInfo& flat = Reflected<b1::ResourceClaim>::kKind;
  EXPECT_EQ(ToJson(Write(stored, flat, Show(stored, flat))), ToJson(stored));
}

const char* const kClassicClaim = R"({"metadata":{"name":"c"},"spec":{"resourceClassName":"k"},
  "status":{"driverName":"d.example","allocation":{"shareable":true,"resourceHandles":[
    {"driverName":"other","data":"o"},{"driverName":"d.example","data":"s"},{"driverName":"third"}]}}})";

TEST(MergeBack, TheFirstVersionKeepsHandlesItCannotSee) {
  const KindInfo& oldest = Reflected<a1::ResourceClaim>::kKind;
  const Object stored = ReadStored(Reflected<a2::ResourceClaim>::kKind, kClassicClaim);
  const std::string seen = Show(stored, oldest);
  EXPECT_NE(seen.find(R"("resourceHandle":"s")"), std::string::npos) << seen;
  const Object next =
      Write(stored, oldest, Replaced(seen, R"("resourceHandle":"s")", R"("resourceHandle":"t")"));
  EXPECT_EQ(ToJson(next), Replaced(ToJson(stored), R"("data":"s")", R"("data":"t")"));
}

TEST(MergeBack, TheFirstVersionTakesAllHandlesWithTheAllocation) {
  const KindInfo& oldest = Reflected<a1::ResourceClaim>::kKind;
  const Object stored = ReadStored(Reflected<a2::ResourceClaim>::kKind, kClassicClaim);
  Object seen = FromHub(stored, oldest).Clone();
  seen.Mutable<a1::ResourceClaim>().status.allocation.reset();
  const Object next = Write(stored, oldest, ToJson(seen));
  EXPECT_FALSE(next.As<a2::ResourceClaim>().status.allocation.has_value());
}

TEST(MergeBack, TheHubVersionDoesNotSeeWhatOnlyHubsHave) {
  const Object stored = StoredClaim();
  const KindInfo& newest = Reflected<v1::ResourceClaim>::kKind;
  const std::string seen = Show(stored, newest);
  EXPECT_EQ(seen.find("controller"), std::string::npos);
  EXPECT_EQ(ToJson(Write(stored, newest, seen), kStored), ToJson(stored, kStored));
}

}  // namespace
}  // namespace dray::api::conversion
