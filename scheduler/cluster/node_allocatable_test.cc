// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/node_allocatable.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/node_resources_fit.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using api::Quantity;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

resource_v1::NodeAllocatableResource PerDevice(std::string_view amount) {
  resource_v1::NodeAllocatableResource takes;
  takes.mapping.emplace().device_multiplier = Q(amount);
  return takes;
}

resource_v1::NodeAllocatableResource OfCapacity(const std::string& key, std::string_view factor) {
  resource_v1::NodeAllocatableResource takes;
  takes.mapping.emplace().capacity_key = key;
  takes.mapping->capacity_multiplier = Q(factor);
  return takes;
}

resource_v1::NodeAllocatableResource Costs(std::string_view per_pod,
                                           std::string_view per_container) {
  resource_v1::NodeAllocatableResource takes;
  takes.overhead.emplace();
  if (!per_pod.empty()) takes.overhead->per_pod = Q(per_pod);
  if (!per_container.empty()) takes.overhead->per_container = Q(per_container);
  return takes;
}

resource_v1::DeviceRequestAllocationResult ResultOf(const std::string& device) {
  return {.driver = "d", .pool = "p", .device = device};
}

class TakenByClaimsTest : public ::testing::Test {
 protected:
  TakenByClaimsTest() {
    pod_.metadata.namespace_ = "lab";
    pod_.spec.resource_claims = {{.name = "gpus", .resource_claim_name = "gpu"}};
    for (const char* name : {"left", "right", "other"}) {
      core_v1::Container container;
      container.name = name;
      pod_.spec.containers.push_back(container);
    }
    // Two requests of one claim count as one use.
    pod_.spec.containers[0].resources.claims = {{.name = "gpus", .request = "a"},
                                                {.name = "gpus", .request = "b"}};
    pod_.spec.containers[1].resources.claims = {{.name = "gpus"}};
  }
  void AddDevice(const std::string& name,
                 const std::string& resource,
                 resource_v1::NodeAllocatableResource takes) {
    devices_[name].node_allocatable_resources.insert_or_assign(resource, std::move(takes));
  }
  void Allocate(resource_v1::DeviceRequestAllocationResult result) {
    allocation_.devices.results.push_back(std::move(result));
  }
  std::vector<std::string> Taken() {
    const std::vector<ClaimAllocation> claims = {
        {.namespace_ = "lab", .name = "gpu", .allocation = &allocation_},
        {.namespace_ = "lab", .name = "none", .allocation = nullptr}};
    const auto taken =
        TakenByClaims(pod_, claims, [&](const auto& result) -> const resource_v1::Device* {
          const auto found = devices_.find(result.device);
          return found == devices_.end() ? nullptr : &found->second;
        });
    if (!taken) return {taken.error().message};
    last_ = *taken;
    std::vector<std::string> texts;
    const auto text = [](const auto& quantity) { return quantity ? quantity->ToString() : "-"; };
    for (const auto& one : *taken) {
      texts.push_back(
          fmt::format("{} for {}", one.resource_claim_name, fmt::join(one.containers, ",")));
      for (const auto& mapped : one.mapping) {
        texts.push_back(fmt::format("{}: {}", mapped.name, text(mapped.quantity)));
      }
      for (const auto& overhead : one.overhead) {
        texts.push_back(fmt::format("{}: {} and {} each",
                                    overhead.name,
                                    text(overhead.per_pod),
                                    text(overhead.per_container)));
      }
    }
    return texts;
  }

  core_v1::Pod pod_;
  std::map<std::string, resource_v1::Device> devices_;
  resource_v1::AllocationResult allocation_;
  NodeAllocatableStatuses last_;
};

TEST_F(TakenByClaimsTest, DevicesThatTakeNothingAreNotNamed) {
  Allocate(ResultOf("plain"));
  EXPECT_THAT(Taken(), IsEmpty());
}

TEST_F(TakenByClaimsTest, AmountsOfDevicesAreAdded) {
  AddDevice("socket-0", "cpu", PerDevice("3"));
  AddDevice("socket-1", "cpu", PerDevice("500m"));
  AddDevice("socket-1", "memory", Costs("1Gi", "256Mi"));
  Allocate(ResultOf("socket-0"));
  Allocate(ResultOf("socket-1"));
  EXPECT_THAT(Taken(),
              ElementsAre("gpu for left,right", "cpu: 3500m", "memory: 1Gi and 256Mi each"));
  const Amounts all = RequestsOf(pod_, last_);
  EXPECT_EQ(all.at("cpu"), 3500);
  EXPECT_EQ(all.at("memory"), int64_t{1536} * 1024 * 1024);
}

TEST_F(TakenByClaimsTest, SharesTakeWhatTheyConsume) {
  const struct {
    std::string key, consumed_key, consumed, factor, want;
  } cases[] = {
      {"cores", "cores", "3", "1", "cpu: 3"},
      {"cores", "d/cores", "3", "2", "cpu: 6"},
      {"d/cores", "cores", "3", "1500m", "cpu: 4500m"},
      {"cores", "cores", "100m", "500m", "cpu: 50m"},
      {"cores", "cores", "1m", "1m", "cpu: 1m"},  // rounded up
      {"cores", "cores", "9E", "1000", "cpu: 9223372036854775807"},
  };
  for (const auto& test : cases) {
    AddDevice("socket", "cpu", OfCapacity(test.key, test.factor));
    allocation_ = {};
    resource_v1::DeviceRequestAllocationResult result = ResultOf("socket");
    result.consumed_capacity[test.consumed_key] = Q(test.consumed);
    Allocate(result);
    EXPECT_THAT(Taken(), ElementsAre("gpu for left,right", test.want));
  }
}

TEST_F(TakenByClaimsTest, AWholeDeviceHasNoConsumedCapacity) {
  AddDevice("socket", "cpu", OfCapacity("cores", "1"));
  Allocate(ResultOf("socket"));
  EXPECT_THAT(Taken(),
              ElementsAre("claim lab/gpu, device socket: ConsumedCapacity is nil, but Capacity key "
                          "'cores' is set in NodeAllocatableResources for resource cpu"));
  allocation_.devices.results[0].consumed_capacity["other"] = Q("1");
  EXPECT_THAT(Taken(), IsEmpty());
}

TEST_F(TakenByClaimsTest, OnlyMappedDevicesCannotBeShared) {
  AddDevice("socket", "cpu", PerDevice("3"));
  AddDevice("card", "memory", Costs("1Gi", ""));
  const auto find = [&](const auto& result) { return &devices_.at(result.device); };
  Allocate(ResultOf("card"));
  EXPECT_FALSE(HasMappedDevice(allocation_, find));
  Allocate(ResultOf("socket"));
  EXPECT_TRUE(HasMappedDevice(allocation_, find));
}

TEST_F(TakenByClaimsTest, WhatThePodAsksForAsAWholeMustCoverIt) {
  AddDevice("socket", "cpu", PerDevice("3"));
  Allocate(ResultOf("socket"));
  Taken();
  pod_.spec.containers[0].resources.requests["cpu"] = Q("1");
  pod_.spec.resources.emplace().requests["cpu"] = Q("3999m");
  NodeState state;
  EXPECT_THAT(FilterTaken(pod_, last_, state)->reasons,
              ElementsAre("pod level request for cpu is insufficient to cover the aggregated "
                          "container and node-allocatable DRA requests"));
  pod_.spec.resources->requests["cpu"] = Q("4");
  EXPECT_FALSE(FilterTaken(pod_, last_, state).has_value());
}

TEST_F(TakenByClaimsTest, TheNodeMustHaveIt) {
  AddDevice("socket", "cpu", PerDevice("3"));
  Allocate(ResultOf("socket"));
  Taken();
  pod_.spec.containers[0].resources.requests["cpu"] = Q("1");
  const struct {
    int64_t allocatable, requested;
    bool fits, unresolvable;
  } cases[] = {{4000, 0, true, false}, {3999, 0, false, true}, {5000, 1001, false, false}};
  for (const auto& test : cases) {
    NodeState state;
    state.allocatable["cpu"] = test.allocatable;
    state.requested["cpu"] = test.requested;
    const auto rejection = FilterTaken(pod_, last_, state);
    EXPECT_EQ(!rejection.has_value(), test.fits);
    if (!rejection) continue;
    EXPECT_THAT(rejection->reasons, ElementsAre("Insufficient cpu"));
    EXPECT_EQ(rejection->unresolvable, test.unresolvable);
  }
}

TEST(NodeAllocatableDevices, TheNewestGenerationCounts) {
  const auto slice = [](int64_t generation, std::string_view amount) {
    resource_v1::ResourceSlice made;
    made.spec.driver = "d";
    made.spec.pool = {.name = "p", .generation = generation, .resource_slice_count = 1};
    made.spec.devices.push_back({.name = "plain"});
    made.spec.devices.push_back({.name = "socket"});
    made.spec.devices[1].node_allocatable_resources["cpu"] = PerDevice(amount);
    return std::make_shared<const resource_v1::ResourceSlice>(std::move(made));
  };
  NodeAllocatableDevices devices;
  const auto amount = [&] {
    const resource_v1::Device* found = devices.Find(ResultOf("socket"));
    if (found == nullptr) return std::string("none");
    return found->node_allocatable_resources.at("cpu").mapping->device_multiplier->ToString();
  };
  EXPECT_EQ(amount(), "none");
  devices.SetSlice("b", slice(2, "2"));
  devices.SetSlice("a", slice(1, "1"));
  EXPECT_EQ(amount(), "2");
  EXPECT_EQ(devices.Find(ResultOf("plain")), nullptr);
  devices.SetSlice("b", nullptr);
  EXPECT_EQ(amount(), "1");
  devices.SetSlice("a", slice(1, "5"));
  EXPECT_EQ(amount(), "5");
  devices.SetSlice("a", nullptr);
  EXPECT_TRUE(devices.empty());
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
