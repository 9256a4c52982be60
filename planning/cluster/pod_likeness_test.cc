// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/pod_likeness.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

struct Both {
  core::Pod pod;
  v1::ResourceClaim claim;
};

/// A pod of that name with a claim of its own.
Both Named(const std::string& name) {
  Both both;
  both.pod.metadata = {.name = name, .namespace_ = "default", .uid = "uid-" + name};
  both.pod.metadata.labels["app"] = "trainer";
  both.pod.spec.hostname = name;
  both.pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "of-" + name}};
  core::Container& container = both.pod.spec.containers.emplace_back();
  container.name = "main";
  container.volume_mounts.push_back({.name = "token-" + name});
  core::Volume& volume = both.pod.spec.volumes.emplace_back();
  volume.name = "token-" + name;
  volume.volume_source.projected.emplace();
  both.claim.metadata = {.name = "of-" + name, .namespace_ = "default", .uid = "uid-of-" + name};
  both.claim.spec.devices.requests.push_back({.name = "gpus"});
  return both;
}

std::string LikenessOf(const Both& both) {
  return planning::LikenessOf(
      both.pod, std::vector<api::Object>{api::Object::Of(v1::ResourceClaim(both.claim))});
}

TEST(PodLikeness, DoesNotDependOnNames) {
  EXPECT_EQ(LikenessOf(Named("a")), LikenessOf(Named("b")));
  EXPECT_FALSE(LikenessOf(Named("a")).empty());
}

TEST(PodLikeness, DependsOnWhatTheSchedulerReads) {
  const std::vector<std::pair<std::string, std::function<void(Both&)>>> changes = {
      {"label", [](Both& both) { both.pod.metadata.labels["app"] = "other"; }},
      {"namespace", [](Both& both) { both.pod.metadata.namespace_ = "other"; }},
      {"owner", [](Both& both) { both.pod.metadata.owner_references.push_back({.kind = "Job"}); }},
      {"selector", [](Both& both) { both.pod.spec.node_selector["zone"] = "east"; }},
      {"priority", [](Both& both) { both.pod.spec.priority = 1; }},
      {"nomination", [](Both& both) { both.pod.status.nominated_node_name = "n"; }},
      {"port", [](Both& both) { both.pod.spec.containers[0].ports.push_back({.host_port = 1}); }},
      {"volume",
       [](Both& both) {
         both.pod.spec.volumes.emplace_back()
             .volume_source.persistent_volume_claim.emplace()
             .claim_name = "data";
       }},
      {"request", [](Both& both) { both.claim.spec.devices.requests[0].name = "nics"; }},
      {"devices", [](Both& both) { both.claim.status.allocation.emplace(); }}};
  const std::string usual = LikenessOf(Named("a"));
  for (const auto& [what, change] : changes) {
    Both changed = Named("b");
    change(changed);
    EXPECT_NE(LikenessOf(changed), usual) << what;
  }
  Both shared_a = Named("a");
  Both shared_b = Named("b");
  shared_a.claim.status.allocation.emplace();
  shared_b.claim.status.allocation.emplace();
  EXPECT_NE(LikenessOf(shared_a), LikenessOf(shared_b));
}

TEST(PodLikeness, IsUnknownOfPodsWithVolumesOfTheirOwn) {
  Both both = Named("a");
  both.pod.spec.volumes.emplace_back().volume_source.ephemeral.emplace();
  EXPECT_EQ(LikenessOf(both), "");
}

}  // namespace
}  // namespace dray::planning::inline cluster
