// SPDX-License-Identifier: Apache-2.0
#include "controllers/resource_quota.h"

#include <string>

#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;

constexpr const char* kClaims = "count/resourceclaims.resource.k8s.io";

class ResourceQuotaControllerTest : public ::testing::Test {
 protected:
  void Settle() {
    for (int i = 0; i < 20; ++i) {
      controller_.Step();
      world_.clock().Advance(std::chrono::milliseconds(50));
    }
  }
  void AddQuota(const std::string& resource, const std::string& limit) {
    core_v1::ResourceQuota quota;
    quota.metadata.namespace_ = "lab";
    quota.metadata.name = "few";
    quota.spec.hard[resource] = api::Quantity::Parse(limit).value();
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(quota))));
  }
  void AddClaim(const std::string& name, const std::string& namespace_ = "lab") {
    resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = namespace_;
    claim.metadata.name = name;
    resource_v1::ExactDeviceRequest request;
    request.device_class_name = "gpu";
    request.allocation_mode = "ExactCount";
    request.count = 2;
    claim.spec.devices.requests.push_back({.name = "gpu", .exactly = request});
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(claim))));
  }
  core_v1::ResourceQuota Quota() {
    return client_.Get({&api::Reflected<core_v1::ResourceQuota>::kKind, "lab", "few"})
        ->As<core_v1::ResourceQuota>();
  }
  /// "used/limit" of the only name; "unknown" before it is counted.
  std::string State() {
    const core_v1::ResourceQuotaStatus status = Quota().status;
    if (status.used.empty() || status.hard.empty()) return "unknown";
    return status.used.begin()->second.ToString() + "/" + status.hard.begin()->second.ToString();
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  api::LiveScheme scheme_;
  ResourceQuotaController controller_{
      client_, world_.world(), informers_, Log::Silent(), {.scheme = scheme_}};
};

TEST_F(ResourceQuotaControllerTest, CountsWhatIsThereAndWhatGoes) {
  AddClaim("one");
  AddClaim("two");
  AddClaim("elsewhere", "other");
  AddQuota(kClaims, "5");
  EXPECT_EQ(State(), "unknown");
  Settle();
  EXPECT_EQ(State(), "2/5");
  ASSERT_TRUE(
      client_.Delete({&api::Reflected<resource_v1::ResourceClaim>::kKind, "lab", "one"}, {}));
  Settle();
  EXPECT_EQ(State(), "1/5");
}

TEST_F(ResourceQuotaControllerTest, ChangedLimitsComeIntoForce) {
  AddQuota(kClaims, "5");
  Settle();
  api::Object copy = api::Object::Of(Quota()).Clone();
  copy.Mutable<core_v1::ResourceQuota>().spec.hard[kClaims] = api::Quantity::FromInt(7);
  ASSERT_TRUE(client_.Update(copy, {}));
  Settle();
  EXPECT_EQ(State(), "0/7");
}

TEST_F(ResourceQuotaControllerTest, AnEndedPodGivesBackWhatItHad) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "worker";
  pod.spec.containers.emplace_back().name = "main";
  pod.spec.containers[0].resources.requests["cpu"] = api::Quantity::FromInt(2);
  const api::Object created = *client_.Create(api::Object::Of(std::move(pod)));
  AddQuota("requests.cpu", "8");
  Settle();
  EXPECT_EQ(State(), "2/8");
  api::Object ended = created.Clone();
  ended.Mutable<core_v1::Pod>().status.phase = "Succeeded";
  ASSERT_TRUE(client_.Update(ended, "status"));
  Settle();
  EXPECT_EQ(State(), "0/8");
}

// The server lets a claim in while the controller counts: the count is not written.
TEST_F(ResourceQuotaControllerTest, WhatTheServerAddedMeanwhileIsNotLost) {
  AddClaim("one");
  AddQuota(kClaims, "5");
  Settle();
  bool meanwhile = true;
  client_.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef& ref, std::string_view sub) -> Result<> {
        const bool counts = verb == MemoryClient::Verb::kUpdate && sub == "status" &&
                            ref.kind->plural == "resourcequotas";
        if (!counts || !std::exchange(meanwhile, false)) return {};
        AddClaim("two");
        api::Object copy = api::Object::Of(Quota()).Clone();
        copy.Mutable<core_v1::ResourceQuota>().status.used[kClaims] = api::Quantity::FromInt(2);
        return client_.Update(copy, "status") ? Result<>() : Fail(StatusReason::kUnknown, "?");
      });
  ASSERT_TRUE(
      client_.Delete({&api::Reflected<resource_v1::ResourceClaim>::kKind, "lab", "one"}, {}));
  Settle();
  EXPECT_FALSE(meanwhile);
  EXPECT_EQ(State(), "1/5");
}

TEST_F(ResourceQuotaControllerTest, FollowsOnlyWhatQuotasName) {
  Settle();
  EXPECT_EQ(controller_.followed_kinds(), 0U);
  AddQuota(kClaims, "5");
  Settle();
  EXPECT_GE(controller_.followed_kinds(), 1U);
  EXPECT_LE(controller_.followed_kinds(), 2U);  // claims, of both generations
  ASSERT_TRUE(client_.Delete({&api::Reflected<core_v1::ResourceQuota>::kKind, "lab", "few"}, {}));
  Settle();
  EXPECT_EQ(controller_.followed_kinds(), 0U);
}

TEST_F(ResourceQuotaControllerTest, ClassesStandForExtendedResources) {
  AddClaim("one");
  AddQuota("requests.acme.example/gpu", "5");
  Settle();
  EXPECT_EQ(State(), "0/5");
  resource_v1::DeviceClass gpu;
  gpu.metadata.name = "gpu";
  gpu.spec.extended_resource_name = "acme.example/gpu";
  ASSERT_TRUE(client_.Create(api::Object::Of(std::move(gpu))));
  world_.clock().Advance(ResourceQuotaController::kRecountPeriod);
  Settle();
  EXPECT_EQ(State(), "2/5");
}

}  // namespace
}  // namespace dray::controllers
