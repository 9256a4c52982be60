// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/extended_resources.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/claims/extended_claim.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

resource_v1::DeviceClass ClassOf(const std::string& resource, int64_t made) {
  resource_v1::DeviceClass device_class;
  device_class.metadata.creation_timestamp = api::Time::FromUnixSeconds(made);
  if (!resource.empty()) device_class.spec.extended_resource_name = resource;
  return device_class;
}

void Set(ExtendedResourceClasses& classes,
         const std::string& name,
         const std::string& resource,
         int64_t made) {
  const resource_v1::DeviceClass now = ClassOf(resource, made);
  classes.SetClass(name, &now);
}

std::string Found(const ExtendedResourceClasses& classes, std::string_view resource) {
  const std::string* found = classes.ClassOf(resource);
  return found == nullptr ? "none" : *found;
}

TEST(ExtendedResourceClasses, NewestThenFirstByName) {
  ExtendedResourceClasses classes;
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "none");
  Set(classes, "b", "acme.example/gpu", 10);
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "b");
  Set(classes, "c", "acme.example/gpu", 10);
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "b");
  Set(classes, "a", "acme.example/gpu", 10);
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "a");
  Set(classes, "d", "acme.example/gpu", 11);
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "d");
  Set(classes, "d", "acme.example/nic", 11);  // changed
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "a");
  EXPECT_EQ(Found(classes, "acme.example/nic"), "d");
  for (const char* name : {"a", "b", "c", "d"}) classes.SetClass(name, nullptr);
  EXPECT_EQ(Found(classes, "acme.example/gpu"), "none");
  EXPECT_EQ(Found(classes, "acme.example/nic"), "none");
}

TEST(ExtendedResourceClasses, EveryClassHasANameByItself) {
  ExtendedResourceClasses classes;
  Set(classes, "gpu", "", 10);
  EXPECT_EQ(Found(classes, "deviceclass.resource.kubernetes.io/gpu"), "gpu");
  EXPECT_EQ(Found(classes, "deviceclass.resource.kubernetes.io/nic"), "none");
  EXPECT_EQ(Found(classes, ""), "none");
  classes.SetClass("gpu", nullptr);
  EXPECT_EQ(Found(classes, "deviceclass.resource.kubernetes.io/gpu"), "none");
}

struct Asks {
  std::string name;
  std::vector<std::pair<std::string, int>> amounts;
  bool stays = false;  // an init container that restarts
};

core_v1::Container ContainerOf(const Asks& asks) {
  core_v1::Container container;
  container.name = asks.name;
  if (asks.stays) container.restart_policy = "Always";
  for (const auto& [resource, amount] : asks.amounts) {
    container.resources.requests[resource] = api::Quantity::FromInt(amount);
  }
  return container;
}

ExtendedRequests RequestsOfPod(const std::vector<Asks>& init, const std::vector<Asks>& main) {
  core_v1::Pod pod;
  for (const Asks& asks : init) pod.spec.init_containers.push_back(ContainerOf(asks));
  for (const Asks& asks : main) pod.spec.containers.push_back(ContainerOf(asks));
  const std::string gpu = "gpus";
  const std::string nic = "nics";
  return RequestsForResources(pod, {"x/gpu", "x/nic", "x/none"}, [&](std::string_view resource) {
    if (resource == "x/none") return static_cast<const std::string*>(nullptr);
    return resource == "x/gpu" ? &gpu : &nic;
  });
}

std::vector<std::string> Texts(const ExtendedRequests& all) {
  std::vector<std::string> texts;
  for (const auto& request : all.requests) {
    texts.push_back(fmt::format(
        "{}: {} {}", request.name, request.exactly->count, request.exactly->device_class_name));
  }
  for (const auto& one : all.mappings) {
    texts.push_back(
        fmt::format("{} {} -> {}", one.container_name, one.resource_name, one.request_name));
  }
  return texts;
}

TEST(RequestsForResources, OnePerContainerAndResource) {
  EXPECT_THAT(Texts(RequestsOfPod({},
                                  {{"a", {{"cpu", 1}, {"x/gpu", 2}, {"x/nic", 1}}},
                                   {"b", {{"x/nic", 3}, {"x/none", 1}}},
                                   {"c", {{"x/gpu", 0}}}})),
              ElementsAre("container-0-request-1: 2 gpus",
                          "container-0-request-2: 1 nics",
                          "container-1-request-0: 3 nics",
                          "a x/gpu -> container-0-request-1",
                          "a x/nic -> container-0-request-2",
                          "b x/nic -> container-1-request-0"));
  EXPECT_THAT(Texts(RequestsOfPod({}, {{"a", {{"cpu", 1}}}})), IsEmpty());
}

TEST(RequestsForResources, RequestsAreSortedAsText) {
  std::vector<Asks> containers;
  for (int i = 0; i < 11; ++i) containers.push_back({fmt::format("c{}", i), {{"x/gpu", 1}}});
  const ExtendedRequests all = RequestsOfPod({}, containers);
  EXPECT_EQ(all.requests[1].name, "container-1-request-0");
  EXPECT_EQ(all.requests[2].name, "container-10-request-0");
  EXPECT_EQ(all.mappings[2].request_name, "container-2-request-0");
}

TEST(RequestsForResources, InitContainersUseWhatLaterOnesWillHave) {
  // As a real kube-scheduler wrote for this pod.
  EXPECT_THAT(Texts(RequestsOfPod({{"prepare", {{"x/gpu", 2}}}, {"side", {{"x/gpu", 1}}, true}},
                                  {{"main", {{"x/gpu", 1}}}})),
              ElementsAre("container-1-request-0: 1 gpus",
                          "container-2-request-0: 1 gpus",
                          "side x/gpu -> container-1-request-0",
                          "main x/gpu -> container-2-request-0",
                          "prepare x/gpu -> container-1-request-0",
                          "prepare x/gpu -> container-2-request-0"));
}

TEST(RequestsForResources, TheLargestExcessIsShared) {
  EXPECT_THAT(Texts(RequestsOfPod({{"one", {{"x/gpu", 3}}}, {"two", {{"x/gpu", 5}}}},
                                  {{"main", {{"x/gpu", 1}}}})),
              ElementsAre("container-1-request-0: 4 gpus",
                          "container-2-request-0: 1 gpus",
                          "main x/gpu -> container-2-request-0",
                          "one x/gpu -> container-2-request-0",
                          "one x/gpu -> container-1-request-0",
                          "two x/gpu -> container-2-request-0",
                          "two x/gpu -> container-1-request-0"));
}

TEST(RequestsForResources, SidecarsBeforeAreInUseAlready) {
  EXPECT_THAT(Texts(RequestsOfPod({{"side", {{"x/gpu", 1}}, true}, {"prepare", {{"x/gpu", 1}}}},
                                  {{"main", {}}})),
              ElementsAre("container-0-request-0: 1 gpus",
                          "container-1-request-0: 1 gpus",
                          "side x/gpu -> container-0-request-0",
                          "prepare x/gpu -> container-1-request-0"));
}

TEST(MakeExtendedClaim, IsFoundAgain) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "worker";
  pod.metadata.uid = "uid-worker";
  resource_v1::ResourceClaim claim = MakeExtendedClaim(pod, {{.name = "r"}});
  EXPECT_EQ(claim.metadata.generate_name, "worker-extended-resources-");
  EXPECT_EQ(claim.metadata.namespace_, "lab");
  EXPECT_EQ(claim.spec.devices.requests.size(), 1U);
  EXPECT_EQ(api::claims::PodOfExtendedClaim(claim.metadata).uid, "uid-worker");
  claim.metadata.annotations[api::claims::kExtendedClaimAnnotation] = "false";
  EXPECT_EQ(api::claims::PodOfExtendedClaim(claim.metadata).uid, "");
  claim.metadata.annotations[api::claims::kExtendedClaimAnnotation] = "true";
  claim.metadata.owner_references[0].controller = false;
  EXPECT_EQ(api::claims::PodOfExtendedClaim(claim.metadata).uid, "");
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
