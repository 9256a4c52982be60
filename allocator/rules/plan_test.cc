// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/plan.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/testing/lab.h"

namespace dray::allocator::rules {
namespace {

using testing::FeaturesWith;
using ::testing::HasSubstr;
using testing::Lab;

struct BadRequest {
  std::string_view what;
  std::string_view profile;
  std::string_view devices;  // spec.devices of the claim
  std::string_view error;
};

TEST(PlanClaims, RefusesInUpstreamsWords) {
  constexpr BadRequest kCases[] = {
      {"missing class",
       "v0.37.2",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gone","allocationMode":"All"}}]})",
       R"(claim lab/c0, request r: could not retrieve device class gone: )"
       R"(deviceclass.resource.k8s.io "gone" not found)"},
      {"no class",
       "v0.37.2",
       R"({"requests":[{"name":"r","exactly":{"allocationMode":"All"}}]})",
       "claim lab/c0, request r: missing device class name (unsupported request type?)"},
      {"no form",
       "v0.37.2",
       R"({"requests":[{"name":"r"}]})",
       "claim lab/c0, request r: has neither an exact request nor alternatives"},
      {"unknown mode",
       "v0.31.8",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"Some"}}]})",
       "claim lab/c0, request r: unsupported count mode Some"},
      {"selector of an unknown kind",
       "v0.36.6",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
           "selectors":[{}]}}]})",
       "claim lab/c0, request r, selector #0: CEL expression empty"},
      {"alternatives while their switch is off",
       "v0.37.2",
       R"({"requests":[{"name":"r","firstAvailable":[{"name":"s","deviceClassName":"any",
           "allocationMode":"All"}]}]})",
       "claim lab/c0, request r: has subrequests, but the DRAPrioritizedList feature is disabled"},
      {"admin access while its switch is off, even when it says no",
       "v0.37.2",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
           "adminAccess":false}}]})",
       "claim lab/c0, request r: admin access is requested, but the feature is disabled"},
      {"capacity while its switch is off",
       "v0.37.2/incubating",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
           "capacity":{"requests":{"m":"1"}}}}]})",
       "claim lab/c0, request r: has capacity requests, but the DRAConsumableCapacity feature is"},
      {"derived attributes while their switch is off",
       "v0.37.2",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
           "derivedAttributes":[{"name":"x/y","expression":"1"}]}}]})",
       "claim lab/c0, request r: cannot handle request with derived attributes"},
      {"constraint of no kind",
       "v0.37.2",
       R"({"constraints":[{}]})",
       "claim lab/c0, constraint #0: empty constraint (unsupported constraint type?)"},
      {"constraint that the first release does not know",
       "v0.31.8",
       R"({"constraints":[{"distinctAttribute":"d.io/n"}]})",
       "claim lab/c0, constraint #0: empty constraint (unsupported constraint type?)"},
      {"a sum below zero, on which upstream crashes",
       "v0.37.2",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
           "allocationMode":"ExactCount","count":-1}}]})",
       "claim lab/c0: the counts of its requests sum to -1"},
      {"too many at the second request",
       "v0.37.2",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
           "allocationMode":"ExactCount","count":30}},{"name":"s","exactly":{
           "deviceClassName":"any","allocationMode":"ExactCount","count":3}}]})",
       "claim lab/c0, request s: adding 3 devices exceeds the claim limit of 32, with 30 already"},
      {"the same in the first release",
       "v0.31.8",
       R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
           "allocationMode":"ExactCount","count":30}},{"name":"s","exactly":{
           "deviceClassName":"any","allocationMode":"ExactCount","count":3}}]})",
       "claim lab/c0: number of requested devices 33 exceeds the claim limit of 32"},
  };
  for (const BadRequest& c : kCases) {
    Lab lab;
    lab.Devices(R"([{"name":"a"}])").Claim(c.devices);
    EXPECT_THAT(lab.Answer(FeaturesWith(c.profile, "")),
                HasSubstr("error: " + std::string(c.error)))
        << c.what;
  }
}

TEST(PlanClaims, StableReadsOverCapacityRequests) {
  Lab lab;
  lab.Devices(R"([{"name":"a"}])")
      .Claim(
          R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
          "capacity":{"requests":{"m":"1"}}}}]})");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2/stable", "")), "a");
}

TEST(PlanClaims, FieldsOf37AreReadOverBefore) {
  Lab lab;
  lab.Devices(R"([{"name":"a"}])")
      .Claim(
          R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
          "derivedAttributes":[{"name":"x/y","expression":"1"}]}}],
          "constraints":[{"matchAttribute":"x/y"}]})");
  EXPECT_THAT(lab.Answer(FeaturesWith("v0.36.6/experimental", "")),
              HasSubstr("a claim constraint would not be satisfied"));
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2/experimental", "DerivedAttributes")), "a");
}

TEST(PlanClaims, AllIsWhatIsLeftIn36) {
  Lab lab;
  lab.Devices(R"([{"name":"a","allowMultipleAllocations":true,"capacity":{"m":{"value":"4"}}},
                  {"name":"b","allowMultipleAllocations":true,"capacity":{"m":{"value":"4"}}}])");
  lab.Claim(
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any","allocationMode":"All",
          "capacity":{"requests":{"m":"2"}}}}]})");
  lab.state().capacity[{"d.io", "pool", "a"}]["m"] = api::Quantity::FromInt(3);
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.36.6/incubating", "ConsumableCapacity")), "b");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2/incubating", "ConsumableCapacity")), "none");
}

TEST(PlanClaims, AllIgnoresTheClassInTheFirstRelease) {
  Lab lab;
  lab.Class(
      R"({"metadata":{"name":"a-only"},"spec":{"selectors":[{"cel":{"expression":
          "device.attributes[\"d.io\"].name == \"a\""}}]}})");
  lab.Devices(R"([{"name":"a","attributes":{"name":{"string":"a"}}},
                  {"name":"b","attributes":{"name":{"string":"b"}}}])");
  lab.Claim(
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"a-only","allocationMode":"All"}}]})");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.31.8", "")), "a b");
  EXPECT_EQ(lab.Answer(FeaturesWith("v0.37.2", "")), "a");
}

}  // namespace
}  // namespace dray::allocator::rules
