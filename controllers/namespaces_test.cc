// SPDX-License-Identifier: Apache-2.0
#include "controllers/namespaces.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/core_v1/config_map.h"
#include "api/core_v1/namespace.h"
#include "api/kind.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

using api::core_v1::ConfigMap;
using api::core_v1::Namespace;

class NamespacesTest : public ::testing::Test {
 protected:
  NamespacesTest() {
    Namespace lab;
    lab.metadata.name = "lab";
    lab.metadata.deletion_timestamp = Now();
    lab.metadata.finalizers = {"tests/keep"};  // so that the test can read it
    lab.spec.finalizers = {"kubernetes"};
    EXPECT_TRUE(client_.Create(api::Object::Of(lab)).has_value());
  }
  api::Time Now() { return api::Time::Of(world_.clock().Now()); }
  void AddConfigMap(const std::string& name, const std::string& finalizer) {
    ConfigMap map;
    map.metadata.namespace_ = "lab";
    map.metadata.name = name;
    if (!finalizer.empty()) map.metadata.finalizers = {finalizer};
    EXPECT_TRUE(client_.Create(api::Object::Of(map)).has_value());
  }
  void Settle() {
    for (int i = 0; i < 20; ++i) {
      controller_.Step();
      world_.clock().Advance(std::chrono::seconds(1));
    }
  }
  Namespace Lab() {
    return client_.Get({&api::Reflected<Namespace>::kKind, "", "lab"})->As<Namespace>();
  }
  std::string Condition(std::string_view type) {
    for (const auto& condition : Lab().status.conditions) {
      if (condition.type != type) continue;
      return condition.status + " " + condition.reason + ": " + condition.message;
    }
    return "none";
  }

  SimulatedWorld world_{1};
  client::testing::MemoryClient client_;
  api::LiveScheme scheme_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  NamespaceController controller_{client_, world_.world(), informers_, Log::Silent(), scheme_};
};

TEST_F(NamespacesTest, SaysWhatHoldsItUpUntilNothingDoes) {
  AddConfigMap("free", "");
  AddConfigMap("held", "example.com/held");
  AddConfigMap("held-too", "example.com/held");
  Settle();
  EXPECT_EQ(Lab().spec.finalizers.size(), 1U);
  EXPECT_EQ(Condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource "
            "instances");
  EXPECT_EQ(Condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "example.com/held in 2 resource instances");
  EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
            "False ContentDeleted: All content successfully deleted, may be waiting on "
            "finalization");
  for (const char* name : {"held", "held-too"}) {
    api::Object map = client_.Get({&api::Reflected<ConfigMap>::kKind, "lab", name})->Clone();
    map.mutable_metadata().finalizers.clear();
    (void)client_.Update(map, {});
  }
  Settle();
  EXPECT_TRUE(Lab().spec.finalizers.empty());
}

TEST_F(NamespacesTest, OneThatEndsAtOnceSaysNothing) {
  AddConfigMap("free", "");
  Settle();
  EXPECT_TRUE(Lab().spec.finalizers.empty());
  EXPECT_TRUE(Lab().status.conditions.empty());
}

TEST(NamespaceConditions, ChangeOnlyWithWhatTheySay) {
  api::core_v1::NamespaceStatus status;
  NamespaceLeftovers leftovers;
  leftovers.failed_deletions = {"second", "first"};
  const api::Time before = api::Time::FromUnixSeconds(1);
  EXPECT_TRUE(SetConditions(status, leftovers, before));
  EXPECT_EQ(status.conditions.size(), 5U);
  EXPECT_EQ(status.conditions[2].message,
            "Failed to delete all resource types, 2 remaining: first, second");
  EXPECT_FALSE(SetConditions(status, leftovers, api::Time::FromUnixSeconds(2)));
  leftovers.failed_deletions = {"first"};
  EXPECT_TRUE(SetConditions(status, leftovers, api::Time::FromUnixSeconds(3)));
  EXPECT_EQ(status.conditions[2].last_transition_time, before);  // it fails as before
  EXPECT_TRUE(SetConditions(status, {}, api::Time::FromUnixSeconds(4)));
  EXPECT_EQ(status.conditions[2].last_transition_time, api::Time::FromUnixSeconds(4));
}

}  // namespace
}  // namespace dray::controllers
