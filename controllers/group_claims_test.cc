// SPDX-License-Identifier: Apache-2.0
// Claims that the pods of a group share: ResourceClaimController with groups.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/claims/pod_groups.h"
#include "api/core_v1/binding.h"
#include "api/core_v1/event.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim_template.h"
#include "api/scheduling_v1beta1.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"
#include "controllers/claim_generation.h"
#include "controllers/claim_sync.h"
#include "controllers/resource_claim.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using api::scheduling_v1beta1::PodGroup;
using client::testing::MemoryClient;
using resource_v1::ResourceClaim;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GroupClaimsTest : public ::testing::Test {
 protected:
  void Settle() {
    for (int i = 0; i < 50; ++i) {
      controller_.Step();
      world_.clock().Advance(std::chrono::seconds(2));
    }
  }
  api::Object Create(const api::Object& object) { return *client_.Create(object); }
  void CreateTemplate() {
    resource_v1::ResourceClaimTemplate one;
    one.metadata.namespace_ = "lab";
    one.metadata.name = "one";
    Create(api::Object::Of(std::move(one)));
  }
  api::Object CreateGroup() {
    PodGroup group;
    group.metadata.namespace_ = "lab";
    group.metadata.name = "team";
    group.spec.resource_claims = {{.name = "g", .resource_claim_template_name = "one"},
                                  {.name = "s", .resource_claim_name = "shared"}};
    return Create(api::Object::Of(std::move(group)));
  }
  /// With an entry of its own beside those of the group.
  api::Object CreatePod(const std::string& name) {
    core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.scheduling_group.emplace().pod_group_name = "team";
    pod.spec.resource_claims = {{.name = "g", .resource_claim_template_name = "one"},
                                {.name = "own", .resource_claim_template_name = "one"},
                                {.name = "s", .resource_claim_name = "shared"}};
    return Create(api::Object::Of(std::move(pod)));
  }
  api::Object CreateAllocated(const std::string& name) {
    ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.metadata.finalizers = {api::claims::kFinalizer};
    api::Object object = Create(api::Object::Of(std::move(claim))).Clone();
    object.Mutable<ResourceClaim>().status.allocation.emplace();
    return *client_.Update(object, "status");
  }
  void ReserveFor(const api::Object& claim,
                  const resource_v1::ResourceClaimConsumerReference& consumer) {
    api::Object copy = client_.Get(client::RefOf(claim))->Clone();
    copy.Mutable<ResourceClaim>().status.reserved_for.push_back(consumer);
    ASSERT_TRUE(client_.Update(copy, "status").has_value());
  }
  std::vector<ResourceClaim> Claims() {
    std::vector<ResourceClaim> claims;
    for (const auto& object : client_.List(api::Reflected<ResourceClaim>::kKind, {})->items) {
      claims.push_back(object.As<ResourceClaim>());
    }
    return claims;
  }
  ResourceClaim Claim(const std::string& name) {
    return client_.Get({&api::Reflected<ResourceClaim>::kKind, "lab", name})->As<ResourceClaim>();
  }
  core_v1::Pod Pod(const std::string& name) {
    return client_.Get({&api::Reflected<core_v1::Pod>::kKind, "lab", name})->As<core_v1::Pod>();
  }
  PodGroup Group() {
    return client_.Get({&api::Reflected<PodGroup>::kKind, "lab", "team"})->As<PodGroup>();
  }
  void DeleteGroup() {
    ASSERT_TRUE(client_.Delete({&api::Reflected<PodGroup>::kKind, "lab", "team"}, {}));
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  ResourceClaimController controller_{
      client_, world_.world(), informers_, Log::Silent(), {.group_claims = true}};
};

TEST_F(GroupClaimsTest, TheClaimOfAGroupIsMadeOnceAndBeforeItsPods) {
  CreateTemplate();
  const api::Object group = CreateGroup();
  Settle();
  ASSERT_THAT(Claims(), SizeIs(1));
  const ResourceClaim made = Claims()[0];
  EXPECT_EQ(made.metadata.generate_name, "team-g-");
  EXPECT_EQ(made.metadata.annotations.at(kPodClaimNameAnnotation), "g");
  ASSERT_THAT(made.metadata.owner_references, SizeIs(1));
  EXPECT_EQ(made.metadata.owner_references[0].api_version, "scheduling.k8s.io/v1beta1");
  EXPECT_EQ(made.metadata.owner_references[0].kind, "PodGroup");
  EXPECT_EQ(made.metadata.owner_references[0].uid, group.metadata().uid);
  EXPECT_EQ(made.metadata.owner_references[0].controller, true);
  ASSERT_THAT(Group().status.resource_claim_statuses, SizeIs(1));
  EXPECT_EQ(Group().status.resource_claim_statuses[0].name, "g");
  EXPECT_EQ(Group().status.resource_claim_statuses[0].resource_claim_name, made.metadata.name);

  CreatePod("a");
  CreatePod("b");
  Settle();
  EXPECT_THAT(Claims(), SizeIs(3));  // one more for each pod's own entry
  for (const char* const name : {"a", "b"}) {
    const auto& records = Pod(name).status.resource_claim_statuses;
    ASSERT_THAT(records, SizeIs(2));
    EXPECT_EQ(records[0].resource_claim_name, made.metadata.name);
    EXPECT_NE(records[1].resource_claim_name, made.metadata.name);
  }
}

TEST_F(GroupClaimsTest, APodWaitsForItsGroup) {
  CreateTemplate();
  CreatePod("a");
  Settle();
  EXPECT_THAT(Claims(), IsEmpty());
  EXPECT_THAT(Pod("a").status.resource_claim_statuses, IsEmpty());
  CreateGroup();
  Settle();
  EXPECT_THAT(Claims(), SizeIs(2));
  EXPECT_THAT(Pod("a").status.resource_claim_statuses, SizeIs(2));
}

TEST_F(GroupClaimsTest, ALostRecordIsFoundAgain) {
  CreateTemplate();
  bool refuse = true;
  client_.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view sub) -> Result<> {
        if (verb != MemoryClient::Verb::kUpdate || sub != "status" || !refuse) return {};
        return Fail(StatusReason::kServerTimeout, "lost");
      });
  CreateGroup();
  CreatePod("a");
  Settle();
  refuse = false;
  Settle();
  EXPECT_THAT(Claims(), SizeIs(2));
  EXPECT_THAT(Group().status.resource_claim_statuses, SizeIs(1));
  EXPECT_THAT(Pod("a").status.resource_claim_statuses, SizeIs(2));
}

TEST_F(GroupClaimsTest, AMissingTemplateIsSaidOfTheGroup) {
  CreateGroup();
  Settle();
  const auto events = client_.List(api::Reflected<core_v1::Event>::kKind, {})->items;
  ASSERT_FALSE(events.empty());
  const auto& event = events[0].As<core_v1::Event>();
  EXPECT_EQ(event.involved_object.kind, "PodGroup");
  EXPECT_EQ(event.message,
            "PodGroupResourceClaim g: resource claim template \"one\": "
            "resourceclaimtemplate.resource.k8s.io \"one\" not found");
  CreateTemplate();
  controller_.Step();
  EXPECT_THAT(Claims(), SizeIs(1));
}

TEST_F(GroupClaimsTest, ADeletedClaimOfAGroupIsMadeAgainForAll) {
  CreateTemplate();
  CreateGroup();
  CreatePod("a");
  Settle();
  const std::string before = *Group().status.resource_claim_statuses[0].resource_claim_name;
  ASSERT_TRUE(client_.Delete({&api::Reflected<ResourceClaim>::kKind, "lab", before}, {}));
  Settle();
  const std::string after = *Group().status.resource_claim_statuses[0].resource_claim_name;
  EXPECT_NE(after, before);
  EXPECT_EQ(Claim(after).metadata.generate_name, "team-g-");
  EXPECT_EQ(Pod("a").status.resource_claim_statuses[0].resource_claim_name, after);
}

TEST_F(GroupClaimsTest, AGroupKeepsItsClaimUntilItIsGone) {
  const api::Object group = CreateGroup();
  const api::Object pod = CreatePod("a");
  const api::Object claim = CreateAllocated("shared");
  ReserveFor(claim, api::claims::ConsumerOf(group.As<PodGroup>()));
  Settle();
  ASSERT_TRUE(client_.Delete(client::RefOf(pod), {.grace_period_seconds = 0}));
  Settle();
  EXPECT_THAT(Claim("shared").status.reserved_for, SizeIs(1));
  DeleteGroup();
  Settle();
  EXPECT_THAT(Claim("shared").status.reserved_for, IsEmpty());
  EXPECT_FALSE(Claim("shared").status.allocation.has_value());
  EXPECT_THAT(Claim("shared").metadata.finalizers, IsEmpty());
}

TEST_F(GroupClaimsTest, AGroupDeletedWhileNobodyLookedIsFoundMissing) {
  const api::Object group = CreateGroup();
  const api::Object claim = CreateAllocated("shared");
  ReserveFor(claim, api::claims::ConsumerOf(group.As<PodGroup>()));
  DeleteGroup();
  client::SharedInformers others(client_, world_.world().clock, wakeup_, Log::Silent());
  ResourceClaimController blind(client_, world_.world(), others, Log::Silent(), {});
  for (int i = 0; i < 10; ++i) blind.Step();
  EXPECT_THAT(Claim("shared").status.reserved_for, SizeIs(1)) << "groups are not its business";
  Settle();
  EXPECT_THAT(Claim("shared").status.reserved_for, IsEmpty());
}

TEST_F(GroupClaimsTest, AReservationStaysWhenTheServerCannotSay) {
  const api::Object group = CreateGroup();
  const api::Object claim = CreateAllocated("shared");
  ReserveFor(claim, api::claims::ConsumerOf(group.As<PodGroup>()));
  DeleteGroup();
  client_.set_fault(
      [](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kGet) return {};
        return Fail(StatusReason::kServiceUnavailable, "down");
      });
  for (int i = 0; i < 10; ++i) controller_.Step();
  client_.set_fault({});
  EXPECT_THAT(Claim("shared").status.reserved_for, SizeIs(1));
}

TEST_F(GroupClaimsTest, APodThatBypassedTheSchedulerReservesForItsGroup) {
  const api::Object group = CreateGroup();
  const api::Object pod = CreatePod("a");
  CreateAllocated("shared");
  core_v1::Binding binding;
  binding.target.name = "n";
  ASSERT_TRUE(client_.CreateSubresource(client::RefOf(pod), "binding", api::Object::Of(binding)));
  CreateTemplate();
  Settle();
  EXPECT_THAT(Claim("shared").status.reserved_for,
              ElementsAre(api::claims::ConsumerOf(group.As<PodGroup>())));
}

}  // namespace
}  // namespace dray::controllers
