// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/disabled_fields.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/slice.h"

namespace dray::api::validation::inline devices {
namespace {

template <class T>
Object ReadObject(std::string_view json) {
  return *DecodeJson(Reflected<T>::kKind, json, nullptr);
}

Profile Without(std::string_view gate) {
  Profile profile = Profile::Of(Release::kNewest);
  EXPECT_TRUE(profile.gates.Apply(std::string(gate) + "=false", profile.release).has_value());
  return profile;
}

constexpr std::string_view kTainted =
    R"({"spec":{"devices":[{"name":"d","taints":[{"key":"k","effect":"None"}]}]}})";

size_t TaintsOf(const Object& slice) {
  return slice.As<resource_v1::ResourceSlice>().spec.devices[0].taints.size();
}

TEST(DisabledFields, GoWithTheirGate) {
  Object slice = ReadObject<resource_v1::ResourceSlice>(kTainted);
  DropDisabledFields(slice, nullptr, Profile::Of(Release::kNewest));
  EXPECT_EQ(TaintsOf(slice), 1U);
  DropDisabledFields(slice, nullptr, Without("DRADeviceTaints"));
  EXPECT_EQ(TaintsOf(slice), 0U);
}

TEST(DisabledFields, StayWhereTheStoredObjectUsesThem) {
  const Object old = ReadObject<resource_v1::ResourceSlice>(kTainted);
  Object slice = ReadObject<resource_v1::ResourceSlice>(kTainted);
  DropDisabledFields(slice, &old, Without("DRADeviceTaints"));
  EXPECT_EQ(TaintsOf(slice), 1U);
}

// 1.31 had the field before it had the gate.
TEST(DisabledFields, AreThoseOfGatesTheReleaseHas) {
  Object claim = ReadObject<resource_v1::ResourceClaim>(
      R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"adminAccess":true}}]}}})");
  DropDisabledFields(claim, nullptr, Profile::Of(Release::k1_31));
  const auto& spec = claim.As<resource_v1::ResourceClaim>().spec;
  EXPECT_TRUE(spec.devices.requests[0].exactly->admin_access.has_value());
}

TEST(DisabledFields, TemplatesAreClaims) {
  Object claim_template = ReadObject<resource_v1::ResourceClaimTemplate>(
      R"({"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":{
          "deviceClassName":"c","tolerations":[{"operator":"Exists"}]}}]}}}})");
  DropDisabledFields(claim_template, nullptr, Without("DRADeviceTaints"));
  const auto& spec = claim_template.As<resource_v1::ResourceClaimTemplate>().spec.spec;
  EXPECT_EQ(spec.devices.requests[0].exactly->device_class_name, "c");
  EXPECT_TRUE(spec.devices.requests[0].exactly->tolerations.empty());
}

}  // namespace
}  // namespace dray::api::validation::inline devices
