// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/repeated_objects.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"

namespace dray::planning::inline objects {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

constexpr Naming kNamed = {.is_named = true};

core::Pod PodOf(std::string uid, std::string node, int32_t priority) {
  core::Pod pod;
  pod.metadata = {.name = "p", .namespace_ = "default", .uid = std::move(uid)};
  pod.spec.node_name = std::move(node);
  pod.spec.priority = priority;
  return pod;
}

std::vector<api::Object> Join(std::vector<api::Object> objects, std::vector<Naming> naming = {}) {
  std::vector<manifests::ManifestObject> manifests;
  for (api::Object& object : objects) manifests.push_back({.object = std::move(object)});
  naming.resize(manifests.size(), kNamed);
  JoinRepeated(manifests, naming);
  std::vector<api::Object> joined;
  for (manifests::ManifestObject& one : manifests) joined.push_back(std::move(one.object));
  return joined;
}

TEST(RepeatedObjects, ASliceThatIsThereTwiceIsOne) {
  std::vector<api::Object> slices;
  for (const int64_t generation : {1, 2}) {
    v1::ResourceSlice slice;
    slice.metadata.name = "s";
    slice.spec.pool.generation = generation;
    slices.push_back(api::Object::Of(std::move(slice)));
  }
  const std::vector<api::Object> joined = Join(std::move(slices));
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].As<v1::ResourceSlice>().spec.pool.generation, 2);
}

TEST(RepeatedObjects, AClaimKeepsItsAllocationUnderAManifest) {
  v1::ResourceClaim live;
  live.metadata = {.name = "c", .namespace_ = "default", .uid = "of-the-cluster"};
  live.status.allocation.emplace().devices.results.push_back({.device = "gpu-0"});
  v1::ResourceClaim git;
  git.metadata = {.name = "c", .namespace_ = "default", .uid = "made-up"};
  const std::vector<api::Object> joined =
      Join({api::Object::Of(live), api::Object::Of(std::move(git))});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].As<v1::ResourceClaim>().status, live.status);
  EXPECT_EQ(joined[0].metadata().uid, "of-the-cluster");
}

TEST(RepeatedObjects, APodThatWaitsGetsItsNewSpecAndOneOnANodeDoesNot) {
  const auto priority = [](const std::string& node) {
    const auto joined =
        Join({api::Object::Of(PodOf("1", node, 1)), api::Object::Of(PodOf("2", "", 2))});
    EXPECT_EQ(joined.size(), 1U);
    EXPECT_EQ(joined[0].As<core::Pod>().spec.node_name, node);
    return joined[0].As<core::Pod>().spec.priority;
  };
  EXPECT_EQ(priority(""), 2);
  EXPECT_EQ(priority("a"), 1);
}

TEST(RepeatedObjects, AnotherUidIsAnotherObject) {
  const auto joined =
      Join({api::Object::Of(PodOf("1", "a", 1)), api::Object::Of(PodOf("2", "", 2))},
           {kNamed, {.is_named = true, .has_uid = true}});
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].As<core::Pod>().spec.node_name, "");
  EXPECT_EQ(joined[0].metadata().uid, "2");
}

TEST(RepeatedObjects, WhatTheServerNamesIsNoRepetition) {
  EXPECT_EQ(Join({api::Object::Of(PodOf("1", "", 1)), api::Object::Of(PodOf("2", "", 2))},
                 {{.is_named = false}, {.is_named = false}})
                .size(),
            2U);
}

}  // namespace
}  // namespace dray::planning::inline objects
