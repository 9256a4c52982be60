// SPDX-License-Identifier: Apache-2.0
#include "controllers/device_taint_eviction.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/event.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceTaintEvictionTest : public ::testing::Test {
 protected:
  DeviceTaintEvictionTest() {
    AddSlice("slice", 1, {});
    AddUser("worker", {});
  }

  api::Object Create(const api::Object& object) { return *client_.Create(object); }

  resource_v1::DeviceTaint Taint() {
    return {.key = "broken",
            .value = "",
            .effect = "NoExecute",
            .time_added = api::Time::Of(world_.world().clock.Now())};
  }
  void AddSlice(const std::string& name,
                int64_t generation,
                std::vector<resource_v1::DeviceTaint> taints) {
    resource_v1::ResourceSlice slice;
    slice.metadata.name = name;
    slice.spec.driver = "d";
    slice.spec.pool = {.name = "p", .generation = generation, .resource_slice_count = 1};
    slice.spec.devices.push_back({.name = "gpu"});
    slice.spec.devices.back().taints = std::move(taints);
    Create(api::Object::Of(std::move(slice)));
  }
  /// A pod on a node, and its claim of the device.
  void AddUser(const std::string& name, std::vector<resource_v1::DeviceToleration> tolerations) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.node_name = "n";
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = name}};
    const api::Object made = Create(api::Object::Of(std::move(pod)));
    resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    api::Object stored = Create(api::Object::Of(std::move(claim))).Clone();
    auto& status = stored.Mutable<resource_v1::ResourceClaim>().status;
    auto& results = status.allocation.emplace().devices.results;
    results.push_back({.request = "r", .driver = "d", .pool = "p", .device = "gpu"});
    results.back().tolerations = std::move(tolerations);
    status.reserved_for = {{.resource = "pods", .name = name, .uid = made.metadata().uid}};
    ASSERT_TRUE(client_.Update(stored, "status").has_value());
  }
  void AddRule(const std::string& effect = "NoExecute") {
    resource_v1::DeviceTaintRule rule;
    rule.metadata.name = "rule";
    rule.spec.device_selector.emplace().driver = "d";
    rule.spec.taint = Taint();
    rule.spec.taint.effect = effect;
    Create(api::Object::Of(std::move(rule)));
  }
  void DeleteRule() {
    ASSERT_TRUE(
        client_.Delete({&api::Reflected<resource_v1::DeviceTaintRule>::kKind, "", "rule"}, {}));
  }

  void Run(std::chrono::seconds duration = std::chrono::seconds(0)) {
    for (auto at = std::chrono::seconds(0); at <= duration; ++at) {
      for (int i = 0; i < 5; ++i) controller_.Step();
      if (at < duration) world_.clock().Advance(std::chrono::seconds(1));
    }
  }
  bool IsEvicted(const std::string& pod) {
    const auto found = client_.Get({&api::Reflected<core_v1::Pod>::kKind, "lab", pod});
    return !found || found->metadata().deletion_timestamp.has_value();
  }
  std::string Reason() {
    const auto rule =
        client_.Get({&api::Reflected<resource_v1::DeviceTaintRule>::kKind, "", "rule"});
    const auto& conditions = rule->As<resource_v1::DeviceTaintRule>().status.conditions;
    return conditions.empty() ? "none" : conditions[0].reason;
  }
  std::vector<std::string> Events() {
    std::vector<std::string> messages;
    for (const auto& event : client_.List(api::Reflected<core_v1::Event>::kKind, {})->items) {
      messages.push_back(event.As<core_v1::Event>().message);
    }
    return messages;
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  DeviceTaintEviction controller_{client_, world_.world(), informers_, Log::Silent(), true};
};

TEST_F(DeviceTaintEvictionTest, WithoutTaintsNothingHappens) {
  Run(std::chrono::seconds(5));
  EXPECT_FALSE(IsEvicted("worker"));
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(DeviceTaintEvictionTest, PodsOfAGroupThatHasTheDeviceGo) {
  for (const char* const name : {"a", "b", "alone"}) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.node_name = "n";
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
    if (name != std::string_view("alone")) {
      pod.spec.scheduling_group.emplace().pod_group_name = "team";
    }
    Create(api::Object::Of(std::move(pod)));
  }
  resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "shared";
  api::Object stored = Create(api::Object::Of(std::move(claim))).Clone();
  auto& status = stored.Mutable<resource_v1::ResourceClaim>().status;
  status.allocation.emplace().devices.results.push_back(
      {.request = "r", .driver = "d", .pool = "p", .device = "gpu"});
  status.reserved_for = {
      {.api_group = "scheduling.k8s.io", .resource = "podgroups", .name = "team", .uid = "g"}};
  ASSERT_TRUE(client_.Update(stored, "status").has_value());
  AddSlice("tainted", 2, {Taint()});
  Run();
  EXPECT_TRUE(IsEvicted("a"));
  EXPECT_TRUE(IsEvicted("b"));
  EXPECT_FALSE(IsEvicted("alone"));
}

TEST_F(DeviceTaintEvictionTest, PodsWhoseExtendedResourcesAreDevicesGo) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "number";
  pod.spec.node_name = "n";
  pod.status.extended_resource_claim_status.emplace().resource_claim_name = "made";
  const std::string uid = Create(api::Object::Of(std::move(pod))).metadata().uid;
  resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "made";
  claim.metadata.owner_references = {
      {.api_version = "v1", .kind = "Pod", .name = "number", .uid = uid, .controller = true}};
  api::Object stored = Create(api::Object::Of(std::move(claim))).Clone();
  auto& status = stored.Mutable<resource_v1::ResourceClaim>().status;
  status.allocation.emplace().devices.results.push_back(
      {.request = "r", .driver = "d", .pool = "p", .device = "gpu"});
  status.reserved_for = {{.resource = "pods", .name = "number", .uid = uid}};
  ASSERT_TRUE(client_.Update(stored, "status").has_value());
  Run();
  EXPECT_FALSE(IsEvicted("number"));
  AddRule();
  Run();
  EXPECT_TRUE(IsEvicted("number"));
}

TEST_F(DeviceTaintEvictionTest, ConditionFirstThenDeletionByUid) {
  AddSlice("tainted", 2, {Taint()});
  const size_t before = client_.journal().size();
  Run();
  EXPECT_TRUE(IsEvicted("worker"));
  const std::vector<std::string> after(
      client_.journal().begin() + static_cast<std::ptrdiff_t>(before), client_.journal().end());
  ASSERT_GE(after.size(), 2U);
  EXPECT_EQ(after[0], "update pods/status lab/worker");
  EXPECT_THAT(after[1], ::testing::HasSubstr("pods lab/worker"));
  EXPECT_THAT(Events(), ElementsAre("Marking for deletion"));
}

TEST_F(DeviceTaintEvictionTest, ANewerGenerationTakesATaintBack) {
  AddSlice("old", 2, {Taint()});
  AddSlice("newer", 3, {});
  Run();
  EXPECT_FALSE(IsEvicted("worker"));
}

TEST_F(DeviceTaintEvictionTest, TheRuleSaysWhatIsToComeAndWhatWasDone) {
  AddRule();
  bool seen_pending = false;
  for (int i = 0; i < 10 && !seen_pending; ++i) {
    controller_.Step();
    seen_pending = Reason() == "PodsPendingEviction";
  }
  EXPECT_TRUE(seen_pending);
  Run(DeviceTaintEviction::kStatusPeriod + std::chrono::seconds(1));
  EXPECT_TRUE(IsEvicted("worker"));
  EXPECT_EQ(Reason(), "Completed");
}

TEST_F(DeviceTaintEvictionTest, ARuleIsLookedAtAgainWhileItsPodsAreStillSeen) {
  Run();
  AddRule();
  client_.HoldBackEvents();  // no event reports the pod's deletion
  Run(DeviceTaintEviction::kStatusPeriod + std::chrono::seconds(1));
  EXPECT_TRUE(IsEvicted("worker"));
  EXPECT_EQ(Reason(), "PodsPendingEviction");
  client_.LetGo();
  Run(DeviceTaintEviction::kStatusPeriod + std::chrono::seconds(1));
  EXPECT_EQ(Reason(), "Completed");
}

TEST_F(DeviceTaintEvictionTest, WithoutEffectItIsOnlyCounted) {
  AddRule("None");
  Run(std::chrono::seconds(15));
  EXPECT_FALSE(IsEvicted("worker"));
  EXPECT_EQ(Reason(), "NoEffect");
}

TEST_F(DeviceTaintEvictionTest, TolerationSecondsAreWaitedForAndCancelled) {
  AddUser("patient", {{.operator_ = "Exists", .toleration_seconds = 30}});
  AddRule();
  Run(std::chrono::seconds(29));
  EXPECT_TRUE(IsEvicted("worker"));
  EXPECT_FALSE(IsEvicted("patient"));
  DeleteRule();
  Run(std::chrono::seconds(5));
  EXPECT_FALSE(IsEvicted("patient"));
  EXPECT_THAT(Events(), Contains("Cancelling deletion"));
  AddRule();
  Run(std::chrono::seconds(31));
  EXPECT_TRUE(IsEvicted("patient"));
}

// Beyond what nanoseconds since 1970 can hold.
TEST_F(DeviceTaintEvictionTest, WhoEnduresForCenturiesStays) {
  AddUser("patient", {{.operator_ = "Exists", .toleration_seconds = int64_t{1} << 62}});
  AddRule();
  Run(std::chrono::seconds(5));
  EXPECT_TRUE(IsEvicted("worker"));
  EXPECT_FALSE(IsEvicted("patient"));
}

TEST_F(DeviceTaintEvictionTest, APodThatOnlyHasTheNameIsLeft) {
  Run();
  client_.HoldBackEvents();
  ASSERT_TRUE(client_.Delete({&api::Reflected<core_v1::Pod>::kKind, "lab", "worker"},
                             {.grace_period_seconds = 0}));
  core_v1::Pod other;
  other.metadata.namespace_ = "lab";
  other.metadata.name = "worker";
  other.spec.node_name = "n";
  Create(api::Object::Of(std::move(other)));
  client_.LetGo();
  AddRule();
  Run(std::chrono::seconds(2));
  EXPECT_FALSE(IsEvicted("worker"));
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(DeviceTaintEvictionTest, TriesAgainWhenTheServerIsDown) {
  bool is_down = true;
  client_.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (!is_down || verb != MemoryClient::Verb::kDelete) return {};
        return Fail(StatusReason::kServiceUnavailable, "down");
      });
  AddRule();
  Run(std::chrono::seconds(2));
  EXPECT_FALSE(IsEvicted("worker"));
  EXPECT_EQ(Reason(), "PodsPendingEviction");
  is_down = false;
  Run(std::chrono::seconds(30));
  EXPECT_TRUE(IsEvicted("worker"));
}

}  // namespace
}  // namespace dray::controllers
