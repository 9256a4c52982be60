// SPDX-License-Identifier: Apache-2.0
#include "api/quota/limits.h"

#include <string>

#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"

namespace dray::api::quota {
namespace {

constexpr const char* kClaims = "count/resourceclaims.resource.k8s.io";
constexpr const char* kDevices = "gpu.deviceclass.resource.k8s.io/devices";

core_v1::ResourceQuota QuotaOf(const Amounts& hard, const Amounts& used) {
  core_v1::ResourceQuota quota;
  quota.metadata.name = "few";
  quota.spec.hard = hard;
  quota.status.hard = hard;
  quota.status.used = used;
  return quota;
}

Quantity Q(const char* text) {
  return Quantity::Parse(text).value();
}

Object Claim(int64_t devices) {
  resource_v1::ResourceClaim claim;
  resource_v1::ExactDeviceRequest request;
  request.device_class_name = "gpu";
  request.allocation_mode = "ExactCount";
  request.count = devices;
  claim.spec.devices.requests.push_back({.name = "gpu", .exactly = request});
  return Object::Of(std::move(claim));
}

TEST(Charged, UpToTheLimitAndNotOneMore) {
  const core_v1::ResourceQuota quota =
      QuotaOf({{kClaims, Q("9")}, {kDevices, Q("5")}}, {{kClaims, Q("1")}, {kDevices, Q("2")}});
  const Object fits = Claim(3);
  const auto used = Charged(quota, fits, ChargeOf(fits, {}));
  ASSERT_TRUE(used && *used) << used.error().message;
  EXPECT_EQ((*used)->at(kDevices).ToString(), "5");
  EXPECT_EQ((*used)->at(kClaims).ToString(), "2");
  const Object too_many = Claim(4);
  const auto refused = Charged(quota, too_many, ChargeOf(too_many, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, StatusReason::kForbidden);
  EXPECT_EQ(refused.error().message,
            "exceeded quota: few, requested: gpu.deviceclass.resource.k8s.io/devices=4, used: "
            "gpu.deviceclass.resource.k8s.io/devices=2, limited: "
            "gpu.deviceclass.resource.k8s.io/devices=5");
}

TEST(Charged, OthersAreNotItsBusiness) {
  const core_v1::ResourceQuota quota = QuotaOf({{kDevices, Q("0")}, {"pods", Q("1")}}, {});
  const Object other = Object::Of(resource_v1::ResourceClaimTemplate{});
  const auto used = Charged(quota, other, ChargeOf(other, {}));
  ASSERT_TRUE(used);
  EXPECT_FALSE(used->has_value());
}

TEST(Charged, NobodyHasCountedYet) {
  const core_v1::ResourceQuota quota =
      QuotaOf({{kClaims, Q("9")}, {kDevices, Q("5")}}, {{kClaims, Q("0")}});
  const Object claim = Claim(1);
  const auto refused = Charged(quota, claim, ChargeOf(claim, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "status unknown for quota: few, resources: count/resourceclaims.resource.k8s.io,"
            "gpu.deviceclass.resource.k8s.io/devices");
}

TEST(Charged, EveryContainerSaysWhatTheQuotaLimits) {
  const core_v1::ResourceQuota quota =
      QuotaOf({{"limits.memory", Q("1Gi")}, {"requests.cpu", Q("2")}},
              {{"limits.memory", Q("0")}, {"requests.cpu", Q("0")}});
  core_v1::Pod pod;
  pod.spec.containers.emplace_back().name = "main";
  pod.spec.containers.emplace_back().name = "side";
  pod.spec.containers[1].resources.requests["cpu"] = Q("1");
  const Object object = Object::Of(std::move(pod));
  const auto refused = Charged(quota, object, ChargeOf(object, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "failed quota: few: must specify limits.memory for: main,side; requests.cpu for: main");
}

TEST(Count, IsOfTheKindsThatAreCounted) {
  const core_v1::ResourceQuota quota = QuotaOf(
      {{kClaims, Q("9")}, {kDevices, Q("5")}, {"pods", Q("1")}, {"acme.example", Q("1")}}, {});
  Count count(quota);
  count.Begin(Reflected<resource_v1::ResourceClaim>::kKind);
  for (const int64_t devices : {1, 3}) {
    const Object claim = Claim(devices);
    count.Add(claim, ChargeOf(claim, {}));
  }
  const core_v1::ResourceQuotaStatus status = std::move(count).Status();
  EXPECT_EQ(status.hard, quota.spec.hard);
  EXPECT_EQ(status.used, (Amounts{{kClaims, Q("2")}, {kDevices, Q("4")}}));
}

}  // namespace
}  // namespace dray::api::quota
