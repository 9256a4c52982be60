// SPDX-License-Identifier: Apache-2.0
// Preemption where a driver's controller has allocated, over a server in memory.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1alpha2.h"
#include "client/testing/memory_client.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

namespace classic = api::resource_v1alpha2;
using client::testing::MemoryClient;
using testing::Cluster;
using ::testing::ElementsAre;

/// A pod that fits on node a only, whose claim a driver has allocated for node b.
class ClassicRoom : public ::testing::Test {
 protected:
  ClassicRoom() {
    cluster_.AddNode("a", 0);
    classic::ResourceClass gpu;
    gpu.metadata.name = "gpu";
    gpu.driver_name = "gpu.example.com";
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(gpu))));
    classic::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = "claim";
    claim.spec.resource_class_name = "gpu";
    claim.spec.allocation_mode = "WaitForFirstConsumer";
    claim.status.driver_name = "gpu.example.com";
    api::core_v1::NodeSelectorRequirement only_b;
    only_b.key = "kubernetes.io/hostname";
    only_b.operator_ = "In";
    only_b.values.push_back("b");
    auto& nodes = claim.status.allocation.emplace().available_on_nodes.emplace();
    nodes.node_selector_terms.emplace_back().match_expressions.push_back(std::move(only_b));
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(claim))));
    cluster_.AddPod("pod", {"claim"});
    classic::PodSchedulingContext context;
    context.metadata.namespace_ = "lab";
    context.metadata.name = "pod";
    context.metadata.owner_references.push_back({.api_version = "v1",
                                                 .kind = "Pod",
                                                 .name = "pod",
                                                 .uid = cluster_.Pod("pod").metadata.uid,
                                                 .controller = true});
    context.spec.selected_node = "a";
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(context))));
  }

  Scheduler::Options Options() {
    Scheduler::Options options = cluster_.Options();
    options.classic = ClassicClaims::kAll;
    return options;
  }
  bool IsAskedBack() {
    return cluster_.client.Get({&api::Reflected<classic::ResourceClaim>::kKind, "lab", "claim"})
        ->As<classic::ResourceClaim>()
        .status.deallocation_requested;
  }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), Options()};
};

TEST_F(ClassicRoom, TheNodeIsTakenBackBeforeTheDriverIsAsked) {
  cluster_.Settle(scheduler_);
  EXPECT_TRUE(IsAskedBack());
  std::vector<std::string> writes;
  for (const std::string& line : cluster_.client.journal()) {
    if (line.starts_with("update") && !line.contains("pods/")) writes.push_back(line);
  }
  EXPECT_THAT(writes,
              ElementsAre("update podschedulingcontexts lab/pod",
                          "update resourceclaims/status lab/claim"));
}

TEST_F(ClassicRoom, TheDriverIsNotAskedWhileTheNodeStands) {
  cluster_.client.set_fault([](auto verb, const client::ObjectRef& ref, auto) -> Result<> {
    const bool refused =
        verb == MemoryClient::Verb::kUpdate && ref.kind->plural == "podschedulingcontexts";
    if (!refused) return {};
    return dray::Fail(StatusReason::kTimeout, "etcd does not answer");
  });
  cluster_.Settle(scheduler_, 3);
  EXPECT_FALSE(IsAskedBack());
  cluster_.client.set_fault(nullptr);
  cluster_.Settle(scheduler_, 12);
  EXPECT_TRUE(IsAskedBack());
}

}  // namespace
}  // namespace dray::scheduler
