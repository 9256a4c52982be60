// SPDX-License-Identifier: Apache-2.0
#include "api/quota/charge.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/config_map.h"
#include "api/core_v1/event.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/service.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"

namespace dray::api::quota {
namespace {

using ::testing::ElementsAre;

template <typename T>
Object ReadObject(const char* json) {
  Result<Object> object = DecodeJson(Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value()) << object.error().message;
  return *object;
}

std::vector<std::string> Texts(const Amounts& amounts) {
  std::vector<std::string> texts;
  for (const auto& [name, amount] : amounts) {
    texts.push_back(fmt::format("{}={}", name, amount.ToString()));
  }
  return texts;
}

Surroundings WithClasses() {
  Surroundings surroundings;
  surroundings.resource_of_class = [](std::string_view name) {
    return name == "gpu" ? std::string("acme.example/gpu") : std::string();
  };
  return surroundings;
}

TEST(ChargeOf, ClaimsAreChargedForTheMostDevicesTheyMayGet) {
  const Object claim = ReadObject<resource_v1::ResourceClaim>(R"({"spec": {"devices": {"requests": [
    {"name": "two", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}},
    {"name": "all", "exactly": {"deviceClassName": "nic", "allocationMode": "All"}},
    {"name": "best", "firstAvailable": [
      {"name": "l", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1},
      {"name": "s", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3},
      {"name": "n", "deviceClassName": "nic", "allocationMode": "ExactCount", "count": 1}]},
    {"name": "new", "exactly": {"deviceClassName": "gpu", "allocationMode": "Some"}}]}}})");
  EXPECT_THAT(Texts(ChargeOf(claim, {})),
              ElementsAre("count/resourceclaims.resource.k8s.io=1",
                          "gpu.deviceclass.resource.k8s.io/devices=5",
                          "nic.deviceclass.resource.k8s.io/devices=33"));
  EXPECT_THAT(Texts(ChargeOf(claim, WithClasses())),
              ElementsAre("count/resourceclaims.resource.k8s.io=1",
                          "gpu.deviceclass.resource.k8s.io/devices=5",
                          "nic.deviceclass.resource.k8s.io/devices=33",
                          "requests.acme.example/gpu=5",
                          "requests.deviceclass.resource.kubernetes.io/gpu=5",
                          "requests.deviceclass.resource.kubernetes.io/nic=33"));
}

class ExtendedClaimTest : public ::testing::Test {
 protected:
  ExtendedClaimTest() {
    surroundings_.pod = [this](std::string_view name) {
      return name == "worker" ? pod_ : Object();
    };
    surroundings_.claims_of_pod = [this](std::string_view uid) {
      return uid == "uid-worker" ? claims_ : std::vector<Object>();
    };
  }
  Object pod_ = ReadObject<core_v1::Pod>(R"({"metadata": {"name": "worker", "uid": "uid-worker"},
    "spec": {"containers": [{"name": "main",
      "resources": {"requests": {"acme.example/gpu": "1"}}}]}})");
  Object claim_ = ReadObject<resource_v1::ResourceClaim>(R"({"metadata": {"name": "made",
      "creationTimestamp": "2026-11-01T00:00:00Z",
      "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
      "ownerReferences": [
        {"apiVersion": "v1", "kind": "Pod", "name": "worker", "uid": "uid-worker", "controller": true}]},
    "spec": {"devices": {"requests": [{"name": "gpu", "exactly":
      {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]}}})");
  std::vector<Object> claims_ = {claim_};
  Surroundings surroundings_ = WithClasses();
};

constexpr const char* kTwice = "requests.acme.example/gpu=1";

TEST_F(ExtendedClaimTest, ItsPodIsChargedAlready) {
  EXPECT_THAT(Texts(ChargeOf(claim_, surroundings_)),
              ElementsAre("count/resourceclaims.resource.k8s.io=1",
                          "gpu.deviceclass.resource.k8s.io/devices=1",
                          "requests.deviceclass.resource.kubernetes.io/gpu=1"));
}

TEST_F(ExtendedClaimTest, OnlyOneClaimIsThePods) {
  Object older = claim_.Clone();
  older.mutable_metadata().name = "before";
  claims_.push_back(older);
  EXPECT_THAT(Texts(ChargeOf(claim_, surroundings_)), ::testing::Contains(kTwice));
  EXPECT_THAT(Texts(ChargeOf(older, surroundings_)), ::testing::Not(::testing::Contains(kTwice)));
  auto& status = pod_.Mutable<core_v1::Pod>().status;
  status.extended_resource_claim_status.emplace();
  status.extended_resource_claim_status->resource_claim_name = "made";
  EXPECT_THAT(Texts(ChargeOf(claim_, surroundings_)), ::testing::Not(::testing::Contains(kTwice)));
  EXPECT_THAT(Texts(ChargeOf(older, surroundings_)), ::testing::Contains(kTwice));
}

TEST_F(ExtendedClaimTest, APodOfAnotherUidIsNotItsPod) {
  pod_.mutable_metadata().uid = "uid-another";
  EXPECT_THAT(Texts(ChargeOf(claim_, surroundings_)), ::testing::Contains(kTwice));
}

TEST(ChargeOf, PodsAreChargedForWhatTheyRequestAtMost) {
  const Object pod = ReadObject<core_v1::Pod>(R"({"spec": {
    "initContainers": [{"name": "prepare", "resources": {"requests": {"cpu": "3", "memory": "1Gi"}}}],
    "containers": [
      {"name": "main", "resources": {"requests": {"cpu": "1", "memory": "2Gi", "acme.example/gpu": "2"},
                                     "limits": {"cpu": "2", "acme.example/gpu": "2"}}},
      {"name": "side", "resources": {"requests": {"cpu": "500m", "hugepages-2Mi": "4Mi"}}}],
    "overhead": {"cpu": "100m", "memory": "1Mi"}}})");
  EXPECT_THAT(Texts(ChargeOf(pod, {})),
              ElementsAre("count/pods=1",
                          "cpu=3100m",
                          "hugepages-2Mi=4Mi",
                          "limits.cpu=2100m",
                          "memory=2049Mi",
                          "pods=1",
                          "requests.acme.example/gpu=2",
                          "requests.cpu=3100m",
                          "requests.hugepages-2Mi=4Mi",
                          "requests.memory=2049Mi"));
}

TEST(ChargeOf, APodThatHasEndedOrShouldBeGoneIsOnlyCounted) {
  for (
      const char* json :
      {R"({"status": {"phase": "Succeeded"}})",
       R"({"status": {"phase": "Failed"}})",
       R"({"metadata": {"deletionTimestamp": "1970-01-01T00:00:05Z", "deletionGracePeriodSeconds": 4}})"}) {
    const Object pod = ReadObject<core_v1::Pod>(json);
    EXPECT_THAT(Texts(ChargeOf(pod, {.now = WallTime(std::chrono::seconds(10))})),
                ElementsAre("count/pods=1"))
        << json;
  }
  const Object going = ReadObject<core_v1::Pod>(
      R"({"metadata": {"deletionTimestamp": "1970-01-01T00:00:05Z", "deletionGracePeriodSeconds": 5}})");
  EXPECT_THAT(Texts(ChargeOf(going, {.now = WallTime(std::chrono::seconds(10))})),
              ElementsAre("count/pods=1", "pods=1"));
}

TEST(ChargeOf, OtherKinds) {
  struct Case {
    Object object;
    std::vector<std::string> texts;
  };
  const std::vector<Case> cases = {
      {ReadObject<core_v1::ConfigMap>("{}"), {"configmaps=1", "count/configmaps=1"}},
      {ReadObject<resource_v1::ResourceClaimTemplate>("{}"),
       {"count/resourceclaimtemplates.resource.k8s.io=1"}},
      {ReadObject<core_v1::PersistentVolumeClaim>(
           R"({"spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "2Gi"}}}})"),
       {"count/persistentvolumeclaims=1",
        "fast.storageclass.storage.k8s.io/persistentvolumeclaims=1",
        "fast.storageclass.storage.k8s.io/requests.storage=2Gi",
        "persistentvolumeclaims=1",
        "requests.storage=2Gi"}},
      {ReadObject<core_v1::Service>(
           R"({"spec": {"type": "NodePort", "ports": [{"port": 1}, {"port": 2}]}})"),
       {"count/services=1", "services=1", "services.loadbalancers=0", "services.nodeports=2"}},
      {ReadObject<core_v1::Service>(
           R"({"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false,
               "ports": [{"port": 1, "nodePort": 30001}, {"port": 2}]}})"),
       {"count/services=1", "services=1", "services.loadbalancers=1", "services.nodeports=1"}},
      {ReadObject<core_v1::Event>("{}"), {}},
  };
  for (const Case& one : cases) {
    const Amounts charge = ChargeOf(one.object, {});
    EXPECT_EQ(Texts(charge), one.texts);
    for (const auto& [name, amount] : charge) EXPECT_TRUE(IsAbout(one.object.kind(), name)) << name;
  }
}

TEST(IsAbout, EachKindHasItsNames) {
  const KindInfo& pods = Reflected<core_v1::Pod>::kKind;
  const KindInfo& claims = Reflected<resource_v1::ResourceClaim>::kKind;
  for (const char* name : {"pods",
                           "count/pods",
                           "cpu",
                           "limits.memory",
                           "requests.hugepages-1Gi",
                           "requests.ephemeral-storage",
                           "requests.acme.example/gpu",
                           "requests.deviceclass.resource.kubernetes.io/gpu"}) {
    EXPECT_TRUE(IsAbout(pods, name)) << name;
  }
  for (const char* name : {"count/pod",
                           "services",
                           "limits.acme.example/gpu",
                           "requests.storage",
                           "gpu.deviceclass.resource.k8s.io/devices"}) {
    EXPECT_FALSE(IsAbout(pods, name)) << name;
  }
  EXPECT_TRUE(IsAbout(claims, "gpu.deviceclass.resource.k8s.io/devices"));
  EXPECT_TRUE(IsAbout(claims, "requests.acme.example/gpu"));
  EXPECT_FALSE(IsAbout(claims, "requests.cpu"));
  EXPECT_FALSE(IsAbout(claims, "pods"));
}

}  // namespace
}  // namespace dray::api::quota
