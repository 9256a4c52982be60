// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/unfit_line.h"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/simulated_world.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

api::Object ClaimFor(const std::string& namespace_, const std::string& name, int64_t count) {
  v1::ResourceClaim claim;
  claim.metadata = {.name = name, .namespace_ = namespace_, .uid = namespace_ + "-" + name};
  v1::DeviceRequest request{.name = "gpus"};
  request.exactly.emplace();
  request.exactly->device_class_name = "gpu";
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = count;
  claim.spec.devices.requests.push_back(std::move(request));
  return api::Object::Of(std::move(claim));
}

/// A node with two devices, of which claim "held" of that namespace has one; the pod wants
/// `count`.
scheduler::UnfitPod PodFor(int64_t count, const std::string& holder_namespace) {
  scheduler::UnfitPod unfit;
  core::Node node;
  node.metadata.name = "a";
  unfit.nodes.push_back({.node = api::Object::Of(std::move(node))});
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->metadata.name = "gpus-of-a";
  slice->spec.driver = "gpu.example.com";
  slice->spec.node_name = "a";
  slice->spec.pool = {.name = "a", .generation = 1, .resource_slice_count = 1};
  for (int i = 0; i < 2; ++i) slice->spec.devices.push_back({.name = fmt::format("gpu-{}", i)});
  unfit.slices.push_back(std::move(slice));
  auto gpu = std::make_shared<v1::DeviceClass>();
  gpu->metadata.name = "gpu";
  unfit.classes.push_back(std::move(gpu));
  api::Object held = ClaimFor(holder_namespace, "held", 1).Clone();
  auto& status = held.Mutable<v1::ResourceClaim>().status;
  status.allocation.emplace().devices.results.push_back(
      {.request = "gpus", .driver = "gpu.example.com", .pool = "a", .device = "gpu-0"});
  unfit.holders.push_back(std::move(held));
  unfit.claims.push_back(ClaimFor("lab", "wanted", count));
  core::Pod pod;
  pod.metadata = {.name = "worker", .namespace_ = "lab", .uid = "u"};
  pod.spec.resource_claims.push_back({.name = "gpus", .resource_claim_name = "wanted"});
  unfit.pod = api::Object::Of(std::move(pod));
  return unfit;
}

class UnfitLine : public ::testing::Test {
 protected:
  std::string Line(const scheduler::UnfitPod& pod) { return LineAbout(world_.world(), pod); }
  SimulatedWorld world_{1};
};

TEST_F(UnfitLine, SaysWhatLacksAndTheFirstChangeThatHelps) {
  EXPECT_EQ(Line(PodFor(2, "lab")),
            "1 node: request gpus wants 2; 1 is free; it would help to ask for 1 device "
            "instead of 2 in request gpus of claim lab/wanted");
}

TEST_F(UnfitLine, NamesNoClaimOfAnotherNamespace) {
  scheduler::UnfitPod pod = PodFor(1, "lab");
  auto& slice = pod.slices.front();
  auto smaller = std::make_shared<v1::ResourceSlice>(*slice);
  smaller->spec.devices.resize(1);
  slice = smaller;
  EXPECT_NE(Line(pod).find("take back claim lab/held"), std::string::npos) << Line(pod);
  pod.holders = PodFor(1, "secret").holders;
  const std::string line = Line(pod);
  EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  EXPECT_NE(line.find("none is free"), std::string::npos) << line;
}

TEST_F(UnfitLine, IsAboutDevicesWhateverThePodWantsOfOtherPodsAndVolumes) {
  scheduler::UnfitPod unfit = PodFor(2, "lab");
  const std::string line = Line(unfit);
  api::Object pod = unfit.pod.Clone();
  auto& spec = pod.Mutable<core::Pod>().spec;
  core::PodAffinityTerm term;
  term.label_selector.emplace().match_labels["app"] = "elsewhere";
  term.topology_key = "zone";
  spec.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution.push_back(std::move(term));
  auto& volume = spec.volumes.emplace_back();
  volume.name = "data";
  volume.volume_source.persistent_volume_claim.emplace().claim_name = "data";
  unfit.pod = std::move(pod);
  EXPECT_EQ(Line(unfit), line);
}

TEST_F(UnfitLine, TellsOfASampleThatItIsOne) {
  scheduler::UnfitPod pod = PodFor(3, "lab");
  pod.is_sample = true;
  EXPECT_TRUE(Line(pod).starts_with("of 1 nodes looked at: 1 node: ")) << Line(pod);
}

TEST_F(UnfitLine, IsEmptyWhereDevicesAreNotWhatLacks) {
  EXPECT_EQ(Line(PodFor(1, "lab")), "");
  scheduler::UnfitPod pod = PodFor(2, "lab");
  core::Node node;
  node.metadata.name = "a";
  node.spec.unschedulable = true;
  pod.nodes.front().node = api::Object::Of(std::move(node));
  EXPECT_EQ(Line(pod), "");
}

TEST_F(UnfitLine, OfAPodWhoseClaimsHaveDevicesElsewhereItSaysNothingOfOthers) {
  scheduler::UnfitPod pod = PodFor(1, "lab");
  api::Object claim = ClaimFor("lab", "wanted", 1).Clone();
  auto& allocation = claim.Mutable<v1::ResourceClaim>().status.allocation.emplace();
  allocation.devices.results.push_back(
      {.request = "gpus", .driver = "gpu.example.com", .pool = "b", .device = "gpu-0"});
  core::NodeSelectorTerm term;
  term.match_fields.push_back({.key = "metadata.name", .operator_ = "In", .values = {"b"}});
  allocation.node_selector.emplace().node_selector_terms.push_back(std::move(term));
  pod.claims = {std::move(claim)};
  EXPECT_EQ(Line(pod).find("held"), std::string::npos) << Line(pod);
}

}  // namespace
}  // namespace dray::planning::inline cluster
