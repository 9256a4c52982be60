// SPDX-License-Identifier: Apache-2.0
#include "dray/structured.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "dray/profile.h"

namespace dray::structured {
namespace {

namespace v1 = api::resource_v1;

template <class T>
using Many = std::vector<Frozen<T>>;

Failure Refuse(const char* message) {
  return Fail(StatusReason::kServiceUnavailable, message);
}

/// A cluster in memory that can refuse to answer.
struct Cluster final : ClaimLister, DeviceClassLister, ResourceSliceLister {
  Many<v1::ResourceClaim> claims;
  Many<v1::DeviceClass> classes;
  Many<v1::ResourceSlice> slices;
  const char* no_claims = nullptr;
  const char* no_classes = nullptr;
  const char* no_slices = nullptr;

  Result<Many<v1::ResourceClaim>> ListAllAllocated() const override {
    if (no_claims != nullptr) return Refuse(no_claims);
    return claims;
  }
  Result<Frozen<v1::DeviceClass>> Get(std::string_view name) const override {
    if (no_classes != nullptr) return Refuse(no_classes);
    for (const auto& device_class : classes) {
      if (device_class->metadata.name == name) return device_class;
    }
    return Fail(StatusReason::kNotFound, "nothing of that name");
  }
  Result<Many<v1::ResourceSlice>> List() const override {
    if (no_slices != nullptr) return Refuse(no_slices);
    return slices;
  }

  void AddClass(const char* name) {
    auto device_class = std::make_shared<v1::DeviceClass>();
    device_class->metadata.name = name;
    classes.push_back(std::move(device_class));
  }
  /// "node" is the pool and, unless it is empty, the only node.
  v1::ResourceSlice& AddSlice(const std::string& name,
                              const std::string& node,
                              const std::vector<std::string>& devices) {
    auto slice = std::make_shared<v1::ResourceSlice>();
    slice->metadata.name = name;
    slice->spec.driver = "d.example.com";
    slice->spec.pool = {.name = node, .generation = 1, .resource_slice_count = 1};
    slice->spec.node_name = node;
    for (const std::string& device : devices) slice->spec.devices.push_back({.name = device});
    slices.push_back(slice);
    return *slice;
  }
};

Frozen<v1::ResourceClaim> MakeClaim(const char* name,
                                    int64_t count,
                                    const char* mode = "ExactCount") {
  auto claim = std::make_shared<v1::ResourceClaim>();
  claim->metadata.namespace_ = "default";
  claim->metadata.name = name;
  v1::DeviceRequest& request = claim->spec.devices.requests.emplace_back();
  request.name = "r";
  request.exactly =
      v1::ExactDeviceRequest{.device_class_name = "c", .allocation_mode = mode, .count = count};
  return claim;
}

Frozen<v1::ResourceClaim> Allocated(const char* name, const char* device, bool admin = false) {
  auto claim = std::make_shared<v1::ResourceClaim>(*MakeClaim(name, 1));
  v1::DeviceRequestAllocationResult& result =
      claim->status.allocation.emplace().devices.results.emplace_back();
  result.request = "r";
  result.driver = "d.example.com";
  result.pool = "n";
  result.device = device;
  if (admin) {
    result.admin_access = true;
    claim->spec.devices.requests[0].exactly->admin_access = true;
  }
  return claim;
}

api::core_v1::Node NodeNamed(const std::string& name) {
  api::core_v1::Node node;
  node.metadata.name = name;
  return node;
}

/// "pool/device pool/device, …" by claim; "nothing"; "error: …".
std::string Answer(const Result<Results>& answer) {
  if (!answer) return "error: " + answer.error().message;
  if (!answer->has_value()) return "nothing";
  std::string text;
  for (const v1::AllocationResult& result : **answer) {
    for (const auto& device : result.devices.results)
      text += device.pool + "/" + device.device + " ";
    text += ",";
  }
  return text;
}

class StructuredTest : public ::testing::Test {
 protected:
  StructuredTest() {
    cluster_.AddClass("c");
    cluster_.AddSlice("s", "n", {"a", "b"});
    cluster_.AddSlice("t", "m", {"a"});
  }

  std::string Ask(Many<v1::ResourceClaim> claims,
                  const char* node = "n",
                  const AllocatorOptions& options = {}) {
    return Answer(NewAllocator(std::move(claims), cluster_, cluster_, cluster_, options)
                      .Allocate(NodeNamed(node)));
  }

  Cluster cluster_;
};

TEST(StructuredIds, AreTheirPartsWithSlashes) {
  EXPECT_EQ((DeviceId{"d", "p", "x"}.ToString()), "d/p/x");
  EXPECT_EQ((PoolId{"d", "p"}.ToString()), "d/p");
  EXPECT_LT((PoolId{"d", "p"}), (PoolId{"e", "a"}));
}

TEST_F(StructuredTest, ResultsAreParallelToTheClaims) {
  EXPECT_EQ(Ask({MakeClaim("x", 1), MakeClaim("y", 1)}), "n/a ,n/b ,");
  EXPECT_EQ(Ask({MakeClaim("x", 1)}, "m"), "m/a ,");
  EXPECT_EQ(Ask({MakeClaim("x", 2)}, "m"), "nothing");
  EXPECT_EQ(Ask({MakeClaim("x", 1)}, "elsewhere"), "nothing");
  EXPECT_EQ(Ask({}), "");
}

TEST_F(StructuredTest, RemembersItsClaims) {
  const Many<v1::ResourceClaim> claims{MakeClaim("x", 1), MakeClaim("y", 1)};
  const Allocator allocator = NewAllocator(claims, cluster_, cluster_, cluster_);
  EXPECT_EQ(allocator.ClaimsToAllocate(), claims);
}

TEST_F(StructuredTest, EveryCallListsAgain) {
  const Allocator allocator = NewAllocator({MakeClaim("x", 1)}, cluster_, cluster_, cluster_);
  EXPECT_EQ(Answer(allocator.Allocate(NodeNamed("n"))), "n/a ,");
  cluster_.claims.push_back(Allocated("other", "a"));
  EXPECT_EQ(Answer(allocator.Allocate(NodeNamed("n"))), "n/b ,");
  cluster_.claims.push_back(MakeClaim("without devices", 1));  // is passed over
  EXPECT_EQ(Answer(allocator.Allocate(NodeNamed("n"))), "n/b ,");
}

TEST_F(StructuredTest, LookingOnTakesTheDeviceInThatReleaseOnly) {
  cluster_.claims = {Allocated("monitor", "a", true)};
  EXPECT_EQ(Ask({MakeClaim("x", 1)}), "n/b ,");
  EXPECT_EQ(Ask({MakeClaim("x", 1)}, "n", {.features = {}}), "n/a ,");
}

TEST_F(StructuredTest, WhatListersSayIsWrapped) {
  cluster_.no_claims = "claims are away";
  EXPECT_EQ(Ask({MakeClaim("x", 1)}), "error: list allocated claims: claims are away");
  cluster_.no_classes = "classes are away";
  EXPECT_EQ(
      Ask({MakeClaim("x", 1)}),
      "error: claim default/x, request r: could not retrieve device class c: classes are away");
  cluster_.no_slices = "slices are away";
  EXPECT_EQ(Ask({MakeClaim("x", 1)}),
            "error: gather pool information: list resource slices: slices are away");
  const auto pools = GatherPools(cluster_, NodeNamed("n"));
  ASSERT_FALSE(pools.has_value());
  EXPECT_EQ(pools.error().message, "list resource slices: slices are away");
  EXPECT_EQ(pools.error().reason, StatusReason::kServiceUnavailable);
}

TEST_F(StructuredTest, AMissingClassIsNamedAsUpstreamDoes) {
  cluster_.classes.clear();
  EXPECT_EQ(Ask({MakeClaim("x", 1)}),
            "error: claim default/x, request r: could not retrieve device class c: "
            "deviceclass.resource.k8s.io \"c\" not found");
}

TEST_F(StructuredTest, ErrorsOfClaimsComeBeforeThoseOfTheClaimLister) {
  cluster_.no_claims = "claims are away";
  EXPECT_EQ(Ask({MakeClaim("x", 33)}).find("error: claim default/x"), 0);
  EXPECT_EQ(Ask({MakeClaim("x", 1, "Some")}).find("error: claim default/x"), 0);
}

TEST_F(StructuredTest, GathersPoolsWithTheirFlag) {
  cluster_.AddSlice("u", "n", {"x"}).spec.driver = "a.example.com";
  cluster_.AddSlice("v", "n", {}).spec.pool.resource_slice_count =
      2;  // a third slice of d/n: 1 ≠ 2
  const auto pools = GatherPools(cluster_, NodeNamed("n"));
  ASSERT_TRUE(pools.has_value()) << pools.error().message;
  ASSERT_EQ(pools->size(), 2);
  EXPECT_EQ(pools->at(0).id.ToString(), "a.example.com/n");
  EXPECT_FALSE(pools->at(0).is_incomplete);
  EXPECT_EQ(pools->at(1).id.ToString(), "d.example.com/n");
  EXPECT_TRUE(pools->at(1).is_incomplete) << "two slices where the first announces one";
  const Many<v1::ResourceSlice> want{cluster_.slices[0], cluster_.slices[3]};
  EXPECT_EQ(pools->at(1).slices, want) << "slices without devices too";
}

TEST_F(StructuredTest, ASliceThatReplacesOlderOnesStandsThereTwice) {
  cluster_.AddSlice("newer", "n", {"z"}).spec.pool.generation = 2;
  const auto pools = GatherPools(cluster_, NodeNamed("n"));
  ASSERT_TRUE(pools.has_value());
  const Many<v1::ResourceSlice> want{cluster_.slices[2], cluster_.slices[2]};
  ASSERT_EQ(pools->size(), 1);
  EXPECT_EQ(pools->at(0).slices, want);
  EXPECT_TRUE(pools->at(0).is_incomplete);
}

TEST_F(StructuredTest, ABudgetThatRunsOutIsAnError) {
  const std::string answer = Ask({MakeClaim("x", 2)}, "n", {.budget = {.steps_max = 1}});
  EXPECT_EQ(answer.find("error: node n: gave up after"), 0) << answer;
}

TEST_F(StructuredTest, ManyThreadsMayAskAtOnce) {
  const Allocator allocator = NewAllocator({MakeClaim("x", 1)}, cluster_, cluster_, cluster_);
  std::vector<std::string> answers(8);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < answers.size(); ++i) {
      threads.emplace_back(
          [&, i] { answers[i] = Answer(allocator.Allocate(NodeNamed(i % 2 == 0 ? "n" : "m"))); });
    }
  }
  for (size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], i % 2 == 0 ? "n/a ," : "m/a ,");
}

}  // namespace
}  // namespace dray::structured
