// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collector.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "api/core_v1/node.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

using api::core_v1::ConfigMap;
using api::core_v1::Node;
using client::testing::MemoryClient;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const api::KindInfo& kKind = api::Reflected<ConfigMap>::kKind;

class GarbageCollectorTest : public ::testing::Test {
 protected:
  void Settle() {
    for (int i = 0; i < 20; ++i) {
      collector_.Step();
      world_.clock().Advance(std::chrono::seconds(2));
    }
  }
  static api::meta_v1::OwnerReference Refer(const api::Object& owner) {
    return {.api_version = std::string(owner.kind().api_version),
            .kind = std::string(owner.kind().kind),
            .name = owner.metadata().name,
            .uid = owner.metadata().uid,
            .controller = {},
            .block_owner_deletion = true};
  }
  api::Object Create(const std::string& name, const std::vector<api::Object>& owners = {}) {
    ConfigMap map;
    map.metadata.namespace_ = "lab";
    map.metadata.name = name;
    for (const api::Object& owner : owners) map.metadata.owner_references.push_back(Refer(owner));
    return *client_.Create(api::Object::Of(std::move(map)));
  }
  void Delete(const api::Object& object, const std::string& policy) {
    ASSERT_TRUE(client_.Delete(client::RefOf(object), {.propagation_policy = policy}));
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& object : client_.List(kKind, {})->items) {
      names.push_back(object.metadata().name);
    }
    return names;
  }
  api::meta_v1::ObjectMeta Meta(const std::string& name) {
    return client_.Get({&kKind, "lab", name})->metadata();
  }

  SimulatedWorld world_{1};
  MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  api::LiveScheme scheme_;
  GarbageCollector collector_{client_, world_.world(), informers_, Log::Silent(), scheme_};
};

TEST_F(GarbageCollectorTest, DependentsFollowTheirOwner) {
  const api::Object owner = Create("owner");
  const api::Object child = Create("child", {owner});
  Create("grandchild", {child});
  Create("other");
  Settle();
  Delete(owner, "Background");
  Settle();
  EXPECT_THAT(Names(), ElementsAre("other"));
}

TEST_F(GarbageCollectorTest, OrphansForgetTheirOwner) {
  const api::Object owner = Create("owner");
  const api::Object second = Create("second");
  Create("child", {owner, second});
  Delete(owner, "Orphan");
  Settle();
  EXPECT_THAT(Names(), ElementsAre("child", "second"));
  EXPECT_THAT(Meta("child").owner_references, ElementsAre(Refer(second)));
}

TEST_F(GarbageCollectorTest, AnOwnerWaitsForWhatBlocksIt) {
  const api::Object owner = Create("owner");
  api::Object child = Create("child", {owner}).Clone();
  child.mutable_metadata().finalizers = {"example.com/held"};
  child = client_.Update(child, {})->Clone();
  Delete(owner, "Foreground");
  Settle();
  EXPECT_THAT(Names(), ElementsAre("child", "owner"));
  EXPECT_TRUE(Meta("child").deletion_timestamp.has_value());
  ASSERT_TRUE(client::ReadModifyWrite(client_, child, {}, [](api::Object& copy) {
    copy.mutable_metadata().finalizers.clear();
    return Result<client::Change>(client::Change::kWrite);
  }));
  Settle();
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ATreeGoesFromItsLeaves) {
  const api::Object owner = Create("owner");
  const api::Object child = Create("child", {owner});
  Create("grandchild", {child});
  Delete(owner, "Foreground");
  Settle();
  EXPECT_THAT(Names(), IsEmpty());
  std::vector<std::string> deleted;
  for (const std::string& line : client_.journal()) {
    // A removal at the end of a finalizer is the same line.
    if (line.starts_with("delete ")) deleted.push_back(line);
  }
  EXPECT_THAT(deleted,
              ElementsAre("delete configmaps lab/grandchild",
                          "delete configmaps lab/child",
                          "delete configmaps lab/owner"));
}

TEST_F(GarbageCollectorTest, ACircleGoesToo) {
  const api::Object one = Create("one");
  const api::Object two = Create("two", {one});
  api::Object circle = one.Clone();
  circle.mutable_metadata().owner_references = {Refer(two)};
  ASSERT_TRUE(client_.Update(circle, {}));
  Delete(one, "Foreground");
  Settle();
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OneOfTwoOwnersKeepsIt) {
  const api::Object owner = Create("owner");
  const api::Object second = Create("second");
  Create("child", {owner, second});
  Delete(owner, "Background");
  Settle();
  EXPECT_THAT(Names(), ElementsAre("child", "second"));
  EXPECT_THAT(Meta("child").owner_references, ElementsAre(Refer(second)));
}

TEST_F(GarbageCollectorTest, WhoNeverHadAnOwnerThereGoes) {
  api::Object ghost = Create("ghost");
  ghost = ghost.Clone();
  ghost.mutable_metadata().uid = "another";
  Create("child", {ghost});
  Settle();
  EXPECT_THAT(Names(), ElementsAre("ghost"));
}

TEST_F(GarbageCollectorTest, OwnersNobodyKnowsKeepTheirDependents) {
  ConfigMap map;
  map.metadata.namespace_ = "lab";
  map.metadata.name = "child";
  map.metadata.owner_references = {
      {.api_version = "example.com/v1", .kind = "Widget", .name = "w", .uid = "w"}};
  ASSERT_TRUE(client_.Create(api::Object::Of(std::move(map))));
  Node node;  // a cluster's object cannot belong to one of a namespace
  node.metadata.name = "node";
  node.metadata.owner_references = {
      {.api_version = "v1", .kind = "ConfigMap", .name = "gone", .uid = "gone"}};
  ASSERT_TRUE(client_.Create(api::Object::Of(std::move(node))));
  Settle();
  EXPECT_THAT(Names(), ElementsAre("child"));
  EXPECT_EQ(client_.List(api::Reflected<Node>::kKind, {})->items.size(), 1);
}

TEST_F(GarbageCollectorTest, NothingGoesWhileTheServerCannotSay) {
  const api::Object owner = Create("owner");
  Create("child", {owner});
  Settle();
  client_.set_fault(
      [](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kGet) return {};
        return Fail(StatusReason::kServiceUnavailable, "down");
      });
  Delete(owner, "Background");
  Settle();
  EXPECT_THAT(Names(), ElementsAre("child"));
  client_.set_fault({});
  world_.clock().Advance(std::chrono::seconds(2000));
  Settle();
  EXPECT_THAT(Names(), IsEmpty());
}

}  // namespace
}  // namespace dray::controllers
