// SPDX-License-Identifier: Apache-2.0
// Messages and outcomes as recorded from Kubernetes 1.37.
#include "scheduler/cycle/cycle.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using ::testing::ElementsAre;

core_v1::Node MakeNode(const std::string& name) {
  core_v1::Node node;
  node.metadata.name = name;
  node.metadata.labels["kubernetes.io/hostname"] = name;
  return node;
}

core_v1::NodeSelector OnNode(const std::string& name) {
  core_v1::NodeSelector selector;
  selector.node_selector_terms.push_back(
      {.match_fields = {{.key = "metadata.name", .operator_ = "In", .values = {name}}}});
  return selector;
}

resource_v1::ResourceClaim MakeClaim(const std::string& name) {
  resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = name;
  claim.metadata.uid = "uid-" + name;
  claim.spec.devices.requests.push_back(
      {.name = "gpu", .exactly = resource_v1::ExactDeviceRequest{.device_class_name = "gpu"}});
  return claim;
}

class DecideTest : public ::testing::Test {
 protected:
  void AddNode(const core_v1::Node& node) {
    states_.push_back({.node = api::Object::Of(node), .allocatable = AllocatableOf(node)});
  }
  void AddClaim(const resource_v1::ResourceClaim& claim) {
    claims_.push_back(api::Object::Of(claim));
  }

  Decision Run() {
    std::vector<const NodeState*> nodes;
    for (const NodeState& state : states_) nodes.push_back(&state);
    const ClusterView view{
        .nodes = nodes,
        .first_node = first_node_,
        .in_flight = [this](std::string_view uid) { return in_flight_.contains(uid); },
        .has_class = [](std::string_view name) { return name == "gpu"; },
        .search =
            [this](auto claims) {
              return [this, claims](const core_v1::Node& node) { return Ask(node, claims.size()); };
            },
        .volumes = &volumes_};
    return Decide(pod_, claims_, view, options_);
  }
  Result<allocator::Outcome> Ask(const core_v1::Node& node, size_t claims) {
    looked_at_.push_back(node.metadata.name);
    if (errors_.contains(node.metadata.name)) {
      return dray::Fail(StatusReason::kInvalid, "class gpu: no such key");
    }
    if (!free_.contains(node.metadata.name)) return allocator::Unsatisfiable{};
    return allocator::Allocation{.results = std::vector<resource_v1::AllocationResult>(claims)};
  }
  std::string Message() { return MessageOf(std::get<Unschedulable>(Run())); }

  core_v1::Pod pod_;
  std::vector<NodeState> states_;
  std::vector<api::Object> claims_;
  std::set<std::string, std::less<>> in_flight_, free_, errors_;
  VolumeNeeds volumes_;
  std::vector<std::string> looked_at_;
  size_t first_node_ = 0;
  CycleOptions options_;
};

TEST_F(DecideTest, NoNodes) {
  EXPECT_EQ(Message(), "no nodes available to schedule pods");
}

TEST_F(DecideTest, NoDevices) {
  AddNode(MakeNode("a"));
  AddNode(MakeNode("b"));
  AddClaim(MakeClaim("gpu"));
  EXPECT_EQ(Message(),
            "0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are "
            "available: 2 Preemption is not helpful for scheduling.");
}

// As kube-scheduler 1.37, measured; there DRAExtendedResource was on, and no pod had to have
// claims.
TEST_F(DecideTest, VolumesThatFitNowhereHideTheClaims) {
  AddNode(MakeNode("a"));
  volumes_.why_nowhere = "pod has unbound immediate PersistentVolumeClaims";
  EXPECT_EQ(
      Message(),
      "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: "
      "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  pod_.spec.resource_claims.push_back({.name = "gpu", .resource_claim_name = "gpu"});
  AddClaim(MakeClaim("gpu"));
  pod_.spec.preemption_policy = "Never";
  EXPECT_EQ(Message(),
            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found");
}

TEST_F(DecideTest, ReasonsAreCountedAndSorted) {
  AddNode(MakeNode("a"));
  AddNode(MakeNode("b"));
  AddClaim(MakeClaim("gpu"));
  pod_.spec.node_selector["kubernetes.io/hostname"] = "a";
  EXPECT_EQ(Message(),
            "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's "
            "node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not "
            "helpful for scheduling.");
}

TEST_F(DecideTest, CordonAndTaintHaveTheirWords) {
  core_v1::Node cordoned = MakeNode("a");
  cordoned.spec.unschedulable = true;
  core_v1::Node tainted = MakeNode("b");
  tainted.spec.taints.push_back({.key = "broken", .effect = "NoExecute"});
  AddNode(cordoned);
  AddNode(tainted);
  EXPECT_EQ(Message(),
            "0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were "
            "unschedulable. preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
            "scheduling.");
  pod_.spec.tolerations.push_back({.key = "broken", .operator_ = "Exists"});
  EXPECT_EQ(std::get<Placement>(Run()).node, "b");
}

TEST_F(DecideTest, ShortOfProcessorsButNotForEver) {
  core_v1::Node node = MakeNode("a");
  node.status.allocatable["cpu"] = api::Quantity::FromInt(8);
  node.status.allocatable["pods"] = api::Quantity::FromInt(110);
  AddNode(node);
  states_[0].requested["cpu"] = 7500;
  core_v1::Container container;
  container.resources.requests["cpu"] = api::Quantity::FromInt(1);
  pod_.spec.containers.push_back(container);
  EXPECT_EQ(
      Message(),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
      "preemption victims found for incoming pod.");
  pod_.spec.containers[0].resources.requests["cpu"] = *api::Quantity::Parse("500m");
  EXPECT_EQ(std::get<Placement>(Run()).node, "a");
}

TEST_F(DecideTest, MissingClassIsSaidOnceForAllNodes) {
  AddNode(MakeNode("a"));
  resource_v1::ResourceClaim claim = MakeClaim("gpu");
  claim.spec.devices.requests = {
      {.name = "gpu", .first_available = {{.name = "best", .device_class_name = "fast"}}}};
  AddClaim(claim);
  EXPECT_EQ(Message(),
            "0/1 nodes are available: request gpu/best: device class fast does not exist. "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
}

TEST_F(DecideTest, ClaimBeingAllocatedElsewhereIsWaitedFor) {
  AddNode(MakeNode("a"));
  AddClaim(MakeClaim("gpu"));
  in_flight_.insert("uid-gpu");
  const auto result = std::get<Unschedulable>(Run());
  EXPECT_EQ(MessageOf(result),
            "0/1 nodes are available: resource claim lab/gpu is in the process of being allocated. "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  EXPECT_THAT(result.waits_for.claims, ElementsAre("lab/gpu"));
  EXPECT_TRUE(result.waits_for.events.empty());
}

TEST_F(DecideTest, DevicesWithoutCallsNeedANodeThatCanDoWithout) {
  AddNode(MakeNode("a"));
  core_v1::Node able = MakeNode("b");
  able.status.declared_features = {"DRAOptionalNodeOperations"};
  AddNode(able);
  resource_v1::ResourceClaim claim = MakeClaim("gpu");
  claim.status.allocation.emplace().devices.results = {{.skip_node_operations = {"All"}}};
  AddClaim(claim);
  EXPECT_EQ(std::get<Placement>(Run()).node, "b");
  pod_.spec.node_selector["kubernetes.io/hostname"] = "a";
  EXPECT_EQ(std::get<Unschedulable>(Run()).unavailable_claims, std::vector<size_t>{0});
}

TEST_F(DecideTest, AllocatedClaimDecidesTheNode) {
  AddNode(MakeNode("a"));
  AddNode(MakeNode("b"));
  resource_v1::ResourceClaim claim = MakeClaim("gpu");
  claim.status.allocation.emplace().node_selector = OnNode("b");
  AddClaim(claim);
  const auto placement = std::get<Placement>(Run());
  EXPECT_EQ(placement.node, "b");
  EXPECT_FALSE(placement.allocations[0].has_value());
  EXPECT_TRUE(looked_at_.empty());
}

TEST_F(DecideTest, UselessAllocationIsTakenBackUnlessOthersUseIt) {
  AddNode(MakeNode("a"));
  resource_v1::ResourceClaim claim = MakeClaim("gpu");
  claim.status.allocation.emplace().node_selector = OnNode("gone");
  AddClaim(claim);
  const auto result = std::get<Unschedulable>(Run());
  EXPECT_EQ(ClaimToDeallocate(result, claims_, "uid-pod"), 0U);
  EXPECT_EQ(MessageOf(result, GivenUp::kAllocation),
            "0/1 nodes are available: 1 resourceclaim not available on the node. deallocation of "
            "ResourceClaim completed, preemption: 0/1 nodes are available: 1 Preemption is not "
            "helpful for scheduling.");
  const struct {
    std::vector<std::string> consumers;
    bool taken_back;
  } cases[] = {{{"uid-pod"}, true}, {{"uid-other"}, false}, {{"uid-pod", "uid-other"}, false}};
  for (const auto& test : cases) {
    claim.status.reserved_for.clear();
    for (const std::string& uid : test.consumers) claim.status.reserved_for.push_back({.uid = uid});
    const std::vector<api::Object> claims{api::Object::Of(claim)};
    EXPECT_EQ(ClaimToDeallocate(result, claims, "uid-pod").has_value(), test.taken_back);
  }
}

TEST_F(DecideTest, NodesTakeTurns) {
  for (const char* name : {"a", "b", "c"}) AddNode(MakeNode(name));
  AddClaim(MakeClaim("gpu"));
  free_ = {"a", "b", "c"};
  options_.filter_all_nodes_max = 0;
  for (const char* want : {"a", "b", "c", "a"}) {
    const auto placement = std::get<Placement>(Run());
    EXPECT_EQ(placement.node, want);
    first_node_ = placement.next_first_node;
  }
  EXPECT_EQ(looked_at_.size(), 4U);  // the first that fits wins: one search each
}

TEST_F(DecideTest, ErrorOnOneNodeOfASmallClusterFailsTheAttempt) {
  AddNode(MakeNode("a"));
  AddNode(MakeNode("b"));
  AddClaim(MakeClaim("gpu"));
  free_ = {"a"};
  errors_ = {"b"};
  EXPECT_EQ(std::get<AttemptFailed>(Run()).message,
            "running \"DynamicResources\" filter plugin: class gpu: no such key");
}

}  // namespace
}  // namespace dray::scheduler::inline cycle
