// SPDX-License-Identifier: Apache-2.0
#include "controllers/pod_garbage.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"
#include "metrics/registry.h"

namespace dray::controllers {
namespace {

using api::core_v1::Node;
using api::core_v1::Pod;
using ::testing::HasSubstr;

class PodGarbageTest : public ::testing::Test {
 protected:
  PodGarbageTest() {
    garbage_.CountIn(registry_);
    AddNode();
    Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = "worker";
    pod.metadata.finalizers = {"tests/keep"};  // so that the test can read it
    pod.spec.node_name = "a";
    EXPECT_TRUE(client_.Create(api::Object::Of(pod)).has_value());
    RunFor(1);
  }
  void AddNode() {
    Node node;
    node.metadata.name = "a";
    EXPECT_TRUE(client_.Create(api::Object::Of(node)).has_value());
  }
  void DeleteNode() {
    EXPECT_TRUE(client_.Delete({&api::Reflected<Node>::kKind, "", "a"}, {}).has_value());
  }
  void RunFor(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      garbage_.Step();
      world_.clock().Advance(std::chrono::seconds(1));
    }
    garbage_.Step();
  }
  api::Object Worker() { return *client_.Get({&api::Reflected<Pod>::kKind, "lab", "worker"}); }
  bool IsDeleted() { return Worker().metadata().deletion_timestamp.has_value(); }

  SimulatedWorld world_{1};
  client::testing::MemoryClient client_;
  metrics::Registry registry_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  PodGarbage garbage_{client_, world_.world(), informers_, Log::Silent()};
};

TEST_F(PodGarbageTest, PodsGoSomeTimeAfterTheirNode) {
  RunFor(60);
  EXPECT_FALSE(IsDeleted());
  DeleteNode();
  RunFor(39);
  EXPECT_FALSE(IsDeleted());
  RunFor(2);
  EXPECT_TRUE(IsDeleted());
  const api::Object worker = Worker();
  EXPECT_EQ(worker.As<Pod>().status.phase, "Failed");
  ASSERT_EQ(worker.As<Pod>().status.conditions.size(), 1U);
  EXPECT_EQ(worker.As<Pod>().status.conditions[0].reason, "DeletionByPodGC");
  EXPECT_THAT(registry_.Text(),
              HasSubstr("pod_gc_collector_force_delete_pods_total{namespace=\"lab\","
                        "reason=\"orphaned\"} 1\n"));
}

TEST_F(PodGarbageTest, ANodeThatComesBackKeepsItsPods) {
  DeleteNode();
  RunFor(30);
  AddNode();
  RunFor(60);
  EXPECT_FALSE(IsDeleted());
}

}  // namespace
}  // namespace dray::controllers
