// SPDX-License-Identifier: Apache-2.0
#include "controllers/resource_claim.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/claims/pod_claims.h"
#include "api/core_v1/binding.h"
#include "api/core_v1/event.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim_template.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"
#include "metrics/registry.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;
using resource_v1::ResourceClaim;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ResourceClaimControllerTest : public ::testing::Test {
 protected:
  void Settle() {
    for (int i = 0; i < 50; ++i) {
      controller_.Step();
      world_.clock().Advance(std::chrono::seconds(2));
    }
  }
  api::Object Create(const api::Object& object) { return *client_.Create(object); }
  api::Object CreatePod(const std::string& name) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_template_name = "one"}};
    return Create(api::Object::Of(std::move(pod)));
  }
  void CreateTemplate() {
    resource_v1::ResourceClaimTemplate one;
    one.metadata.namespace_ = "lab";
    one.metadata.name = "one";
    Create(api::Object::Of(std::move(one)));
  }
  std::vector<ResourceClaim> Claims() {
    std::vector<ResourceClaim> claims;
    for (const auto& object : client_.List(api::Reflected<ResourceClaim>::kKind, {})->items) {
      claims.push_back(object.As<ResourceClaim>());
    }
    return claims;
  }
  core_v1::Pod Pod(const std::string& name) {
    return client_.Get({&api::Reflected<core_v1::Pod>::kKind, "lab", name})->As<core_v1::Pod>();
  }
  /// As a scheduler would leave claim and pod.
  void Schedule(const api::Object& pod) {
    api::Object claim = client_.List(api::Reflected<ResourceClaim>::kKind, {})->items[0].Clone();
    claim.mutable_metadata().finalizers = {api::claims::kFinalizer};
    claim = client_.Update(claim, {})->Clone();
    auto& status = claim.Mutable<ResourceClaim>().status;
    status.allocation.emplace();
    status.reserved_for = {
        {.resource = "pods", .name = pod.metadata().name, .uid = pod.metadata().uid}};
    ASSERT_TRUE(client_.Update(claim, "status").has_value());
    core_v1::Binding binding;
    binding.target.name = "n";
    ASSERT_TRUE(client_.CreateSubresource(client::RefOf(pod), "binding", api::Object::Of(binding)));
  }
  void SetPhase(const std::string& name, const std::string& phase) {
    api::Object pod = client_.Get({&api::Reflected<core_v1::Pod>::kKind, "lab", name})->Clone();
    pod.Mutable<core_v1::Pod>().status.phase = phase;
    ASSERT_TRUE(client_.Update(pod, "status").has_value());
  }
  void DeletePod(const std::string& name) {
    ASSERT_TRUE(client_.Delete({&api::Reflected<core_v1::Pod>::kKind, "lab", name},
                               {.grace_period_seconds = 0}));
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  ResourceClaimController controller_{client_, world_.world(), informers_, Log::Silent(), {}};
};

TEST_F(ResourceClaimControllerTest, MakesTheClaimOnceAndRecordsIt) {
  CreateTemplate();
  CreatePod("worker");
  Settle();
  ASSERT_THAT(Claims(), SizeIs(1));
  ASSERT_THAT(Pod("worker").status.resource_claim_statuses, SizeIs(1));
  EXPECT_EQ(Pod("worker").status.resource_claim_statuses[0].resource_claim_name,
            Claims()[0].metadata.name);
}

TEST_F(ResourceClaimControllerTest, SlowWatchDoesNotDuplicateClaims) {
  CreateTemplate();
  controller_.Step();
  CreatePod("worker");
  bool refuse = true;
  client_.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view sub) -> Result<> {
        if (verb != MemoryClient::Verb::kUpdate || sub != "status" || !refuse) return {};
        return Fail(StatusReason::kServerTimeout, "lost");
      });
  client_.HoldBackEvents();
  Settle();
  refuse = false;
  Settle();
  client_.LetGo();
  Settle();
  EXPECT_THAT(Claims(), SizeIs(1));
  EXPECT_THAT(Pod("worker").status.resource_claim_statuses, SizeIs(1));
}

TEST_F(ResourceClaimControllerTest, APodThatChangedMeanwhileGetsOneClaimAllTheSame) {
  CreateTemplate();
  Settle();
  client_.HoldBackEvents();
  const api::Object pod = CreatePod("a");
  client_.LetGo();
  client_.HoldBackEvents();
  api::Object changed = pod.Clone();
  changed.mutable_metadata().labels["new"] = "label";
  ASSERT_TRUE(client_.Update(changed, {}).has_value());
  Settle();
  client_.LetGo();
  Settle();
  ASSERT_THAT(Claims(), SizeIs(1));
  EXPECT_EQ(Pod("a").status.resource_claim_statuses[0].resource_claim_name,
            Claims()[0].metadata.name);
}

TEST_F(ResourceClaimControllerTest, AnAnswerThatWasLostIsNoReasonForAnotherClaim) {
  for (const auto fate : {MemoryClient::Fate::kAnswerLost, MemoryClient::Fate::kDelayed}) {
    SCOPED_TRACE(static_cast<int>(fate));
    CreateTemplate();
    bool lost = false;
    client_.set_fate([&](auto, const auto&, auto) {
      return std::exchange(lost, true) ? MemoryClient::Fate::kAnswered : fate;
    });
    CreatePod("a");
    Settle();
    ASSERT_TRUE(lost);
    client_.CarryOutDelayed();
    Settle();
    ASSERT_THAT(Claims(), SizeIs(1));
    EXPECT_EQ(Pod("a").status.resource_claim_statuses[0].resource_claim_name,
              Claims()[0].metadata.name);
    for (const auto* kind : {&api::Reflected<core_v1::Pod>::kKind,
                             &api::Reflected<resource_v1::ResourceClaimTemplate>::kKind}) {
      const std::string name = kind->plural == "pods" ? "a" : "one";
      ASSERT_TRUE(client_.Delete({kind, "lab", name}, {}).has_value());
    }
    Settle();
    ASSERT_THAT(Claims(), IsEmpty());
  }
}

TEST_F(ResourceClaimControllerTest, AClaimForExtendedResourcesGoesWithItsPod) {
  for (const bool is_deleted : {false, true}) {
    core_v1::Pod worker;
    worker.metadata.namespace_ = "lab";
    worker.metadata.name = "worker";
    const api::Object pod = Create(api::Object::Of(std::move(worker)));
    ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.generate_name = "worker-extended-resources-";
    claim.metadata.owner_references = {{.api_version = "v1",
                                        .kind = "Pod",
                                        .name = "worker",
                                        .uid = pod.metadata().uid,
                                        .controller = true}};
    Create(api::Object::Of(std::move(claim)));
    Schedule(pod);
    Settle();
    ASSERT_THAT(Claims(), SizeIs(1));
    if (!is_deleted) SetPhase("worker", "Succeeded");
    if (is_deleted) DeletePod("worker");
    Settle();
    EXPECT_THAT(Claims(), IsEmpty());
    if (!is_deleted) DeletePod("worker");
  }
}

// A pod that was bound without a scheduler waits until one of 256 consumers has gone.
TEST_F(ResourceClaimControllerTest, ReservesUpToTheLimitOfConsumers) {
  ResourceClaim shared;
  shared.metadata.namespace_ = "lab";
  shared.metadata.name = "shared";
  api::Object claim = Create(api::Object::Of(std::move(shared))).Clone();
  auto& status = claim.Mutable<ResourceClaim>().status;
  status.allocation.emplace();
  for (int i = 0; i < 255; ++i) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = "user-" + std::to_string(i);
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
    const api::Object user = Create(api::Object::Of(std::move(pod)));
    status.reserved_for.push_back(
        {.resource = "pods", .name = user.metadata().name, .uid = user.metadata().uid});
  }
  ASSERT_TRUE(client_.Update(claim, "status"));
  for (const char* name : {"last", "one-too-many"}) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.node_name = "n";
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
    Create(api::Object::Of(std::move(pod)));
    Settle();
    ASSERT_THAT(Claims()[0].status.reserved_for, SizeIs(256));
    EXPECT_EQ(Claims()[0].status.reserved_for.back().name, "last");
  }
  DeletePod("user-7");
  Settle();
  EXPECT_EQ(Claims()[0].status.reserved_for.back().name, "one-too-many");
}

TEST_F(ResourceClaimControllerTest, WaitsForTheTemplateAndSaysSo) {
  CreatePod("worker");
  Settle();
  EXPECT_THAT(Claims(), IsEmpty());
  const auto events = client_.List(api::Reflected<core_v1::Event>::kKind, {})->items;
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].As<core_v1::Event>().message,
            "PodResourceClaim gpu: resource claim template \"one\": "
            "resourceclaimtemplate.resource.k8s.io \"one\" not found");
  CreateTemplate();
  controller_.Step();
  EXPECT_THAT(Claims(), SizeIs(1));
}

TEST_F(ResourceClaimControllerTest, PodThatFinishesReleasesAndLosesItsClaim) {
  CreateTemplate();
  const api::Object pod = CreatePod("worker");
  Settle();
  Schedule(pod);
  Settle();
  ASSERT_THAT(Claims(), SizeIs(1));
  const std::string claim = "lab/" + Claims()[0].metadata.name;
  const size_t before = client_.journal().size();
  SetPhase("worker", "Succeeded");
  Settle();
  EXPECT_THAT(Claims(), IsEmpty());
  const std::vector<std::string> after(
      client_.journal().begin() + static_cast<std::ptrdiff_t>(before), client_.journal().end());
  EXPECT_THAT(after,
              ElementsAre("update pods/status lab/worker",
                          "update resourceclaims/status " + claim,
                          "update resourceclaims " + claim,
                          "delete resourceclaims " + claim));
}

TEST_F(ResourceClaimControllerTest, DeletedPodReleasesAndLosesItsClaim) {
  CreateTemplate();
  const api::Object pod = CreatePod("worker");
  Settle();
  Schedule(pod);
  DeletePod("worker");
  Settle();
  EXPECT_THAT(Claims(), IsEmpty());
}

TEST_F(ResourceClaimControllerTest, PodDeletedWhileNobodyLookedIsFoundMissing) {
  CreateTemplate();
  const api::Object pod = CreatePod("worker");
  Settle();
  Schedule(pod);
  DeletePod("worker");
  client::SharedInformers others(client_, world_.world().clock, wakeup_, Log::Silent());
  ResourceClaimController successor(client_, world_.world(), others, Log::Silent(), {});
  for (int i = 0; i < 10; ++i) successor.Step();
  EXPECT_THAT(Claims(), IsEmpty());
}

TEST_F(ResourceClaimControllerTest, ReservationStaysWhenTheServerCannotSay) {
  CreateTemplate();
  const api::Object pod = CreatePod("worker");
  Settle();
  Schedule(pod);
  DeletePod("worker");
  client_.set_fault(
      [](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kGet) return {};
        return Fail(StatusReason::kServiceUnavailable, "down");
      });
  client::SharedInformers others(client_, world_.world().clock, wakeup_, Log::Silent());
  ResourceClaimController successor(client_, world_.world(), others, Log::Silent(), {});
  for (int i = 0; i < 10; ++i) successor.Step();
  ASSERT_THAT(Claims(), SizeIs(1));
  EXPECT_THAT(Claims()[0].status.reserved_for, SizeIs(1));
}

TEST_F(ResourceClaimControllerTest, ClaimsAreCounted) {
  metrics::Registry registry;
  controller_.CountIn(registry);
  CreateTemplate();
  const api::Object pod = CreatePod("a");
  Settle();
  const auto text = [&] { return registry.Text(); };
  EXPECT_THAT(text(),
              HasSubstr("dynamic_resource_allocation_resourceclaim_creates_total{"
                        "admin_access=\"false\",owner_api_group=\"\",owner_api_kind=\"Pod\","
                        "status=\"success\"} 1\n"));
  const auto claims = [](std::string_view allocated, int count) {
    return fmt::format(
        "resource_claims{{admin_access=\"false\",allocated=\"{}\","
        "source=\"resource_claim_template\"}} {}\n",
        allocated,
        count);
  };
  EXPECT_THAT(text(), HasSubstr("dynamic_resource_allocation_" + claims("false", 1)));
  EXPECT_THAT(text(), HasSubstr("resourceclaim_controller_" + claims("false", 1)));
  Schedule(pod);
  Settle();
  EXPECT_THAT(text(), HasSubstr(claims("false", 0)));
  EXPECT_THAT(text(), HasSubstr(claims("true", 1)));
  EXPECT_THAT(text(), HasSubstr("workqueue_depth{name=\"resource_claim\"} 0\n"));
}

}  // namespace
}  // namespace dray::controllers
