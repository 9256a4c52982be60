// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/workloads.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "base/simulated_world.h"
#include "planning/objects/wanted_pods.h"

namespace dray::planning::inline objects {
namespace {

namespace core = api::core_v1;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Workloads : public ::testing::Test {
 protected:
  Workloads() {
    for (const std::string name : {"a", "b", "c"}) {
      core::Node node;
      node.metadata.name = name;
      if (name == "a") node.spec.unschedulable = true;
      if (name == "b") node.metadata.labels["zone"] = "x";
      if (name == "c") node.spec.taints.push_back({.key = "k", .effect = "NoSchedule"});
      nodes_.emplace(name, api::Object::Of(std::move(node)));
    }
  }
  PlacedObject Workload(const std::string& api_version,
                        const std::string& kind,
                        const std::string& spec) {
    const api::KindInfo* const info = scheme_.FindKind(api_version, kind);
    const auto object =
        api::DecodeJson(*info,
                        R"({"apiVersion":")" + api_version + R"(","kind":")" + kind +
                            R"(","metadata":{"name":"w","namespace":"n"},"spec":)" + spec + "}",
                        nullptr);
    return {AsStored(world_.world(), object.value(), "default"), "f:1"};
  }
  std::vector<std::string> Names(const PlacedObject& workload,
                                 std::optional<size_t> replicas = {}) {
    std::vector<std::string> names;
    for (const auto& pod : PodsOf(world_.world(), workload, nodes_, replicas).value())
      names.push_back(api::ObjectKey(pod.object.metadata()));
    return names;
  }

  static constexpr const char* kTemplate = R"("template":{"spec":{"containers":[{"name":"c"}]}})";
  static std::string Spec(const std::string& members) { return "{" + members + kTemplate + "}"; }
  api::Scheme scheme_;
  SimulatedWorld world_{1};
  std::map<std::string, api::Object> nodes_;
};

TEST_F(Workloads, RunAsManyPodsAsTheySay) {
  EXPECT_THAT(Names(Workload("apps/v1", "Deployment", Spec(R"("replicas":2,)"))),
              ElementsAre("n/w-0", "n/w-1"));
  EXPECT_THAT(Names(Workload("apps/v1", "Deployment", Spec(""))), ElementsAre("n/w-0"));
  EXPECT_THAT(Names(Workload("apps/v1", "ReplicaSet", Spec(R"("replicas":0,)"))), IsEmpty());
  EXPECT_THAT(
      Names(Workload("apps/v1", "StatefulSet", Spec(R"("replicas":2,"ordinals":{"start":5},)"))),
      ElementsAre("n/w-5", "n/w-6"));
  EXPECT_THAT(Names(Workload("v1", "ReplicationController", Spec(R"("replicas":1,)"))),
              ElementsAre("n/w-0"));
}

TEST_F(Workloads, JobsRunAtMostWhatIsLeftToDo) {
  EXPECT_THAT(Names(Workload("batch/v1", "Job", Spec(R"("parallelism":3,"completions":2,)"))),
              ElementsAre("n/w-0", "n/w-1"));
  EXPECT_THAT(Names(Workload("batch/v1", "Job", Spec(R"("suspend":true,)"))), IsEmpty());
  EXPECT_THAT(Names(Workload("batch/v1",
                             "CronJob",
                             R"({"schedule":"@daily","jobTemplate":{"spec":)" +
                                 Spec(R"("parallelism":2,)") + "}}")),
              ElementsAre("n/w-0", "n/w-1"));
}

TEST_F(Workloads, DaemonSetsRunOnEachNodeThatTakesThem) {
  EXPECT_THAT(Names(Workload("apps/v1", "DaemonSet", Spec(""))), ElementsAre("n/w-a", "n/w-b"));
  EXPECT_THAT(
      Names(Workload(
          "apps/v1", "DaemonSet", R"({"template":{"spec":{"nodeSelector":{"zone":"x"}}}})")),
      ElementsAre("n/w-b"));
}

TEST_F(Workloads, AsManyAsAskedForAndAtMostSoMany) {
  const PlacedObject workload = Workload("apps/v1", "Deployment", Spec(R"("replicas":2,)"));
  EXPECT_THAT(Names(workload, 1), ElementsAre("n/w-0"));
  EXPECT_TRUE(PodsOf(world_.world(), workload, nodes_, kWorkloadPodsMax).has_value());
  EXPECT_FALSE(PodsOf(world_.world(), workload, nodes_, kWorkloadPodsMax + 1).has_value());
}

TEST_F(Workloads, TheirPodsHaveAnOwnerAndTheLabelsOfTheTemplate) {
  const PlacedObject workload = Workload(
      "apps/v1", "Deployment", R"({"template":{"metadata":{"labels":{"a":"b"}},"spec":{}}})");
  EXPECT_TRUE(IsWorkload(workload.object));
  const auto pods = PodsOf(world_.world(), workload, nodes_).value();
  EXPECT_FALSE(IsWorkload(pods[0].object));
  EXPECT_EQ(pods[0].object.metadata().labels.at("a"), "b");
  EXPECT_EQ(pods[0].object.metadata().owner_references[0].kind, "Deployment");
  EXPECT_NE(pods[0].object.metadata().uid, "");
}

constexpr const char* kUsesClaim =
    R"("template":{"spec":{"resourceClaims":[{"name":"c","resourceClaimName":"c"}]}})";

/// The names of the pods after RunWorkloads.
std::vector<std::string> PodNames(const OfflineObjects& objects) {
  std::vector<std::string> names;
  for (const PlacedObject& pod : objects.pods) names.push_back(pod.object.metadata().name);
  return names;
}

PlacedObject PodOf(const std::string& kind, const std::string& name, const std::string& node) {
  core::Pod pod;
  pod.metadata = {.name = name, .namespace_ = "n", .uid = name};
  pod.metadata.owner_references.push_back({.kind = kind, .name = "w", .controller = true});
  pod.spec.node_name = node;
  return {api::Object::Of(std::move(pod)), "f:2"};
}

TEST_F(Workloads, WhatIsThereIsCountedOff) {
  OfflineObjects objects;
  objects.nodes = nodes_;
  objects.pods = {PodOf("StatefulSet", "w-1", "a"), PodOf("DaemonSet", "w-x", "b")};
  const std::string set = std::string(R"({"replicas":3,)") + kUsesClaim + "}";
  objects.workloads = {{Workload("apps/v1", "StatefulSet", set), 1},
                       {Workload("apps/v1", "DaemonSet", std::string("{") + kUsesClaim + "}"), 2}};
  ASSERT_TRUE(RunWorkloads(world_.world(), objects, "").has_value());
  EXPECT_THAT(PodNames(objects), ElementsAre("w-1", "w-0", "w-2", "w-x", "w-a"));
}

TEST_F(Workloads, ThoseOfOtherNamespacesMakeNoPods) {
  OfflineObjects objects;
  objects.workloads = {{Workload("batch/v1", "Job", std::string("{") + kUsesClaim + "}"), 0}};
  ASSERT_TRUE(RunWorkloads(world_.world(), objects, "other").has_value());
  EXPECT_THAT(PodNames(objects), IsEmpty());
}

TEST_F(Workloads, AllTogetherMakeSoManyPodsAtMost) {
  const PlacedObject two =
      Workload("apps/v1", "Deployment", fmt::format(R"({{"replicas":2,{}}})", kUsesClaim));
  OfflineObjects objects;
  objects.workloads = {{two, 0}, {two, 0}};
  OfflineObjects same = objects;
  EXPECT_TRUE(RunWorkloads(world_.world(), objects, "", 4).has_value());
  EXPECT_FALSE(RunWorkloads(world_.world(), same, "", 3).has_value());
}

}  // namespace
}  // namespace dray::planning::inline objects
