// SPDX-License-Identifier: Apache-2.0
#include "controllers/pod_group_protection.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "api/claims/pod_groups.h"
#include "api/core_v1/pod.h"
#include "api/scheduling_v1beta1.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

using api::core_v1::Pod;
using api::scheduling_v1beta1::PodGroup;
using client::testing::MemoryClient;

class PodGroupProtectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    PodGroup group;
    group.metadata.namespace_ = "lab";
    group.metadata.name = "team";
    group.metadata.finalizers = {api::claims::kPodGroupFinalizer};
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(group))).has_value());
  }
  void Settle() {
    for (int i = 0; i < 10; ++i) {
      controller_.Step();
      world_.clock().Advance(std::chrono::seconds(2));
    }
  }
  void CreatePod(const std::string& name, const std::string& group = "team") {
    Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    if (!group.empty()) pod.spec.scheduling_group.emplace().pod_group_name = group;
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(pod))).has_value());
  }
  void SetPhase(const std::string& name, const std::string& phase) {
    api::Object pod = client_.Get({&api::Reflected<Pod>::kKind, "lab", name})->Clone();
    pod.Mutable<Pod>().status.phase = phase;
    ASSERT_TRUE(client_.Update(pod, "status").has_value());
  }
  void DeletePod(const std::string& name) {
    ASSERT_TRUE(
        client_.Delete({&api::Reflected<Pod>::kKind, "lab", name}, {.grace_period_seconds = 0}));
  }
  void DeleteGroup() {
    ASSERT_TRUE(client_.Delete({&api::Reflected<PodGroup>::kKind, "lab", "team"}, {}));
  }
  bool IsThere() {
    return client_.Get({&api::Reflected<PodGroup>::kKind, "lab", "team"}).has_value();
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  PodGroupProtection controller_{client_, world_.world(), informers_, Log::Silent()};
};

TEST_F(PodGroupProtectionTest, AGroupThatNobodyDeletesStays) {
  Settle();
  EXPECT_TRUE(IsThere());
}

TEST_F(PodGroupProtectionTest, AGroupWithoutPodsGoesAtOnce) {
  CreatePod("alone", "");
  CreatePod("other", "others");
  DeleteGroup();
  EXPECT_TRUE(IsThere());
  Settle();
  EXPECT_FALSE(IsThere());
}

TEST_F(PodGroupProtectionTest, AGroupStaysUntilItsLastPodIsFinishedOrGone) {
  CreatePod("a");
  CreatePod("b");
  CreatePod("c");
  DeleteGroup();
  Settle();
  EXPECT_TRUE(IsThere());
  SetPhase("a", "Succeeded");
  SetPhase("b", "Failed");
  Settle();
  EXPECT_TRUE(IsThere());
  DeletePod("c");
  Settle();
  EXPECT_FALSE(IsThere());
}

TEST_F(PodGroupProtectionTest, ARefusedWriteIsTriedAgain) {
  int refused = 0;
  client_.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kUpdate || refused == 2) return {};
        ++refused;
        return Fail(StatusReason::kServerTimeout, "lost");
      });
  DeleteGroup();
  Settle();
  EXPECT_EQ(refused, 2);
  EXPECT_FALSE(IsThere());
}

TEST_F(PodGroupProtectionTest, AGroupThatWasDeletedBeforeIsLetGo) {
  DeleteGroup();
  client::SharedInformers others(client_, world_.world().clock, wakeup_, Log::Silent());
  PodGroupProtection successor(client_, world_.world(), others, Log::Silent());
  for (int i = 0; i < 3; ++i) successor.Step();
  EXPECT_FALSE(IsThere());
}

}  // namespace
}  // namespace dray::controllers
