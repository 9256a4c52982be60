// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/volumes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/persistent_volume_claim.h"
#include "api/storage_v1/storage_class.h"
#include "scheduler/plugins/table.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;
using testing::Cluster;
using ::testing::HasSubstr;

constexpr const char* kVolumeZone = "topology.kubernetes.io/zone";

core_v1::PersistentVolumeClaim ClaimOf(const std::string& volume) {
  core_v1::PersistentVolumeClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "data";
  claim.spec.volume_name = volume;
  return claim;
}

core_v1::PersistentVolume VolumeOn(const std::string& node) {
  core_v1::PersistentVolume volume;
  volume.metadata.name = "disk";
  core_v1::NodeSelectorRequirement requirement;
  requirement.key = "kubernetes.io/hostname";
  requirement.operator_ = "In";
  requirement.values.push_back(node);
  auto& terms = volume.spec.node_affinity.emplace().required.emplace().node_selector_terms;
  terms.emplace_back().match_expressions.push_back(std::move(requirement));
  return volume;
}

api::Object ClassOf(const char* mode) {
  api::storage_v1::StorageClass one;
  one.volume_binding_mode = mode;
  return api::Object::Of(std::move(one));
}

core_v1::Pod PodWithClaim(const std::string& name) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = name;
  auto& volume = pod.spec.volumes.emplace_back();
  volume.name = "data";
  volume.volume_source.persistent_volume_claim.emplace().claim_name = "data";
  return pod;
}

/// Why node a is rejected for a pod with that claim and volume: "nowhere: …", a reason, or empty.
std::string Judge(const core_v1::PersistentVolumeClaim* claim,
                  const core_v1::PersistentVolume* volume,
                  const api::Labels& labels = {},
                  bool is_in_use = false) {
  const api::Object claim_object =
      claim == nullptr ? api::Object() : api::Object::Of(core_v1::PersistentVolumeClaim(*claim));
  const api::Object volume_object =
      volume == nullptr ? api::Object() : api::Object::Of(core_v1::PersistentVolume(*volume));
  const api::Object late = ClassOf("WaitForFirstConsumer");
  const api::Object immediate = ClassOf("Immediate");
  const VolumeNeeds needs =
      VolumeNeedsOf(PodWithClaim("pod"),
                    {.find_claim =
                         [&](std::string_view key) {
                           return claim != nullptr && key == "lab/data" ? &claim_object : nullptr;
                         },
                     .find_volume =
                         [&](std::string_view name) {
                           return volume != nullptr && name == "disk" ? &volume_object : nullptr;
                         },
                     .find_class =
                         [&](std::string_view name) {
                           if (name == "late") return &late;
                           return name == "immediate" ? &immediate : nullptr;
                         },
                     .is_in_use = [&](std::string_view) { return is_in_use; }});
  if (!needs.why_nowhere.empty()) return "nowhere: " + needs.why_nowhere;
  core_v1::Node node;
  node.metadata.name = "a";
  node.metadata.labels = labels;
  node.metadata.labels["kubernetes.io/hostname"] = "a";
  const core_v1::Pod pod;
  const PodNeeds pod_needs = NeedsOf(pod);
  const NodeState state{.node = api::Object::Of(std::move(node))};
  const std::optional<Obstacle> obstacle = Filter({.needs = &pod_needs, .volumes = &needs}, state);
  return obstacle ? obstacle->rejection.reasons.front() : "";
}

TEST(Volumes, ClaimsMustExistAndStay) {
  EXPECT_EQ(Judge(nullptr, nullptr), "nowhere: persistentvolumeclaim \"data\" not found");
  core_v1::PersistentVolumeClaim claim = ClaimOf("disk");
  claim.metadata.deletion_timestamp = api::Time::Of(WallTime());
  EXPECT_EQ(Judge(&claim, nullptr), "nowhere: persistentvolumeclaim \"data\" is being deleted");
  claim = ClaimOf("disk");
  claim.status.phase = "Lost";
  EXPECT_EQ(Judge(&claim, nullptr),
            "nowhere: persistentvolumeclaim \"data\" bound to non-existent persistentvolume "
            "\"disk\"");
}

TEST(Volumes, WhereTheVolumeIsThePodGoes) {
  const core_v1::PersistentVolumeClaim unbound = ClaimOf("");
  const core_v1::PersistentVolumeClaim bound = ClaimOf("disk");
  const core_v1::PersistentVolume here = VolumeOn("a");
  const core_v1::PersistentVolume there = VolumeOn("b");
  EXPECT_EQ(Judge(&unbound, nullptr), "nowhere: pod has unbound immediate PersistentVolumeClaims");
  EXPECT_EQ(Judge(&bound, &here), "");
  EXPECT_EQ(Judge(&bound, &there), "node(s) didn't match PersistentVolume's node affinity");
  EXPECT_EQ(Judge(&bound, nullptr),
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
}

TEST(Volumes, ZonesOfVolumesAreLabels) {
  const core_v1::PersistentVolumeClaim claim = ClaimOf("disk");
  core_v1::PersistentVolume volume;
  volume.metadata.labels[kVolumeZone] = "east__west";
  const auto in = [](const char* label, const char* zone) {
    api::Labels labels;
    labels[label] = zone;
    return labels;
  };
  EXPECT_EQ(Judge(&claim, &volume), "") << "a node without zones";
  EXPECT_EQ(Judge(&claim, &volume, in(kVolumeZone, "west")), "");
  EXPECT_EQ(Judge(&claim, &volume, in(kVolumeZone, "north")),
            "node(s) had no available volume zone");
  EXPECT_EQ(Judge(&claim, &volume, in("topology.kubernetes.io/region", "west")),
            "node(s) had no available volume zone");
  core_v1::PersistentVolume old;
  old.metadata.labels["failure-domain.beta.kubernetes.io/zone"] = "west";
  EXPECT_EQ(Judge(&claim, &old, in(kVolumeZone, "west")), "");
}

TEST(Volumes, AClaimWithoutVolumeWaitsUnlessItsClassWaitsForThePod) {
  core_v1::PersistentVolumeClaim claim = ClaimOf("");
  for (const char* const at_once : {"immediate", "missing"}) {
    claim.spec.storage_class_name = at_once;
    EXPECT_EQ(Judge(&claim, nullptr), "nowhere: pod has unbound immediate PersistentVolumeClaims");
  }
  claim.spec.storage_class_name = "late";
  EXPECT_EQ(Judge(&claim, nullptr), "") << "no controller binds it";
  claim.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "immediate";
  EXPECT_EQ(Judge(&claim, nullptr), "nowhere: pod has unbound immediate PersistentVolumeClaims");
}

TEST(Volumes, AClaimForOnePodIsForOne) {
  core_v1::PersistentVolumeClaim claim = ClaimOf("disk");
  const core_v1::PersistentVolume here = VolumeOn("a");
  EXPECT_EQ(Judge(&claim, &here, {}, true), "");
  claim.spec.access_modes = {"ReadWriteOncePod"};
  EXPECT_EQ(Judge(&claim, &here), "");
  EXPECT_EQ(Judge(&claim, &here, {}, true),
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
            "already in-use by another pod");
}

TEST(Volumes, PodsWaitForThem) {
  Cluster cluster;
  Scheduler scheduler(cluster.client, cluster.world.world(), Log::Silent(), cluster.Options());
  cluster.AddNode("a", 0);
  cluster.AddNode("b", 0);
  Cluster::Must(cluster.client.Create(api::Object::Of(PodWithClaim("first"))));
  cluster.Settle(scheduler);
  EXPECT_THAT(cluster.Condition("first"), HasSubstr("persistentvolumeclaim \"data\" not found"));
  core_v1::PersistentVolumeClaim claim = ClaimOf("disk");
  claim.spec.access_modes = {"ReadWriteOncePod"};
  Cluster::Must(cluster.client.Create(api::Object::Of(std::move(claim))));
  cluster.Settle(scheduler, 2);
  EXPECT_THAT(cluster.Condition("first"), HasSubstr("bound to non-existent pv(s)"));
  Cluster::Must(cluster.client.Create(api::Object::Of(VolumeOn("b"))));
  cluster.Settle(scheduler, 4);
  EXPECT_EQ(cluster.Pod("first").spec.node_name, "b");
  Cluster::Must(cluster.client.Create(api::Object::Of(PodWithClaim("second"))));
  cluster.Settle(scheduler);
  EXPECT_THAT(cluster.Condition("second"), HasSubstr("already in-use by another pod"));
  cluster.DeletePod("first");
  cluster.Settle(scheduler, 2);
  EXPECT_EQ(cluster.Pod("second").spec.node_name, "b");
}

}  // namespace
}  // namespace dray::scheduler::inline plugins
