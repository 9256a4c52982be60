// SPDX-License-Identifier: Apache-2.0
#include "api/defaults/defaults.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/secret.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha1.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"
#include "api/resource_v1beta2.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api::defaults {
namespace {

namespace a1 = resource_v1alpha1;
namespace a3 = resource_v1alpha3;
namespace b1 = resource_v1beta1;
namespace b2 = resource_v1beta2;
namespace v1 = resource_v1;

constexpr Time kNow = Time::FromUnixSeconds(1'800'000'000);

// `json` of a kind after its defaults.
std::string Defaulted(const KindInfo& kind, std::string_view json, Release release) {
  DecodeIssues issues;
  Result<Object> object = DecodeJson(kind, json, &issues, {.release = release});
  if (!object) return object.error().message;
  SetDefaults(*object, kNow, release);
  std::string out;
  EncodeJson(object->type(), object->value(), out);
  return out;
}

struct DefaultCase {
  std::string_view name;
  const KindInfo* kind;
  Release release;
  std::string_view json;
  std::string_view want;  // a part of the outcome
};

constexpr const KindInfo* kFlatClaim = &Reflected<b1::ResourceClaim>::kKind;

const DefaultCase kCases[] = {
    {"AddressesOfAPodFromItsAddress",
     &Reflected<core_v1::Pod>::kKind,
     Release::kAny,
     R"({"status":{"podIP":"10.0.0.1"}})",
     R"("podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}])"},
    {"AddressOfAPodFromItsAddresses",
     &Reflected<core_v1::Pod>::kKind,
     Release::kAny,
     R"({"status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}})",
     R"("podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}])"},
    {"TheAddressOfAPodDecides",
     &Reflected<core_v1::Pod>::kKind,
     Release::kAny,
     R"({"status":{"podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}})",
     R"("podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.2"}])"},
    {"ExactRequest",
     &Reflected<v1::ResourceClaim>::kKind,
     Release::kAny,
     R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","tolerations":[{"key":"k"}]}}]}}})",
     R"({"name":"r","exactly":{"deviceClassName":"c","allocationMode":"ExactCount","count":1,"tolerations":[{"key":"k","operator":"Equal"}]}})"},
    {"AllHasNoCount",
     &Reflected<b2::ResourceClaim>::kKind,
     Release::kAny,
     R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All"}}]}}})",
     R"({"deviceClassName":"c","allocationMode":"All"})"},
    {"Alternatives",
     &Reflected<v1::ResourceClaimTemplate>::kKind,
     Release::kAny,
     R"({"spec":{"spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"a","deviceClassName":"c"}]}]}}}})",
     R"({"name":"a","deviceClassName":"c","allocationMode":"ExactCount","count":1})"},
    {"FlatRequestWithAClass",
     kFlatClaim,
     Release::kAny,
     R"({"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"}]}}})",
     R"({"name":"r","deviceClassName":"c","allocationMode":"ExactCount","count":1})"},
    {"FlatRequestWithoutAClassStaysBare",
     kFlatClaim,
     Release::kAny,
     R"({"spec":{"devices":{"requests":[{"name":"r"}]}}})",
     R"([{"name":"r","deviceClassName":""}])"},
    {"FlatRequestWithoutAClassUpTo132",
     kFlatClaim,
     Release::k1_32,
     R"({"spec":{"devices":{"requests":[{"name":"r"}]}}})",
     R"({"name":"r","deviceClassName":"","allocationMode":"ExactCount","count":1})"},
    {"FirstStructuredVersionFollowsItsRelease",
     &Reflected<a3::ResourceClaim>::kKind,
     Release::k1_31,
     R"({"spec":{"devices":{"requests":[{"name":"r"}]}}})",
     R"("allocationMode":"ExactCount","count":1)"},
    {"TolerationsOfResults",
     &Reflected<v1::ResourceClaim>::kKind,
     Release::kAny,
     R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"x","tolerations":[{}]}]}}}})",
     R"("tolerations":[{"operator":"Equal"}])"},
    {"TaintsOfDevices",
     &Reflected<b1::ResourceSlice>::kKind,
     Release::kAny,
     R"({"spec":{"devices":[{"name":"x","basic":{"taints":[{"key":"k","effect":"NoSchedule"}]}}]}})",
     R"("timeAdded":"2027-01-15T08:00:00Z")"},
    {"TaintRules",
     &Reflected<a3::DeviceTaintRule>::kKind,
     Release::k1_33,
     R"({"spec":{"taint":{"key":"k","effect":"NoSchedule"}}})",
     R"("timeAdded":"2027-01-15T08:00:00Z")"},
    {"PoolStatusRequests",
     &Reflected<a3::ResourcePoolStatusRequest>::kKind,
     Release::kAny,
     R"({"spec":{"driver":"d"}})",
     R"("limit":100)"},
    {"MultiplierOf136",
     &Reflected<v1::ResourceSlice>::kKind,
     Release::k1_36,
     R"({"spec":{"devices":[{"name":"x","nodeAllocatableResourceMappings":{"cpu":{}}}]}})",
     R"({"cpu":{"allocationMultiplier":"1"}})"},
    {"NoMultiplierElsewhere",
     &Reflected<v1::ResourceSlice>::kKind,
     Release::kAny,
     R"({"spec":{"devices":[{"name":"x","nodeAllocatableResourceMappings":{"cpu":{}}}]}})",
     R"({"cpu":{}})"},
    {"ClassicClaims",
     &Reflected<a1::ResourceClaim>::kKind,
     Release::kAny,
     R"({"spec":{"resourceClassName":"c"}})",
     R"("allocationMode":"WaitForFirstConsumer")"},
    {"Secrets",
     &Reflected<core_v1::Secret>::kKind,
     Release::kAny,
     R"({"data":{"a":"b2xk","b":"Yg=="},"stringData":{"a":"new"}})",
     R"("data":{"a":"bmV3","b":"Yg=="},"type":"Opaque")"},
};

class Defaults : public ::testing::TestWithParam<DefaultCase> {};

TEST_P(Defaults, AreThoseOfTheRelease) {
  const DefaultCase& test = GetParam();
  const std::string got = Defaulted(*test.kind, test.json, test.release);
  EXPECT_NE(got.find(test.want), std::string::npos) << got;
}

INSTANTIATE_TEST_SUITE_P(Cases, Defaults, ::testing::ValuesIn(kCases), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(DefaultsProperty, AreSetOnce) {
  SeededRandom random(5);
  for (const KindInfo* kind : BuiltinKinds()) {
    for (int turn = 0; turn < 5; ++turn) {
      Object object = testing::RandomObject(*kind, random);
      SetDefaults(object, kNow);
      Object again = object.Clone();
      SetDefaults(again, kNow);
      EXPECT_EQ(ToJson(again), ToJson(object)) << kind->kind;
    }
  }
}

}  // namespace
}  // namespace dray::api::defaults
