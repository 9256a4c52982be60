// SPDX-License-Identifier: Apache-2.0
#include "controllers/role_aggregation.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

using api::rbac_v1::ClusterRole;
using api::rbac_v1::PolicyRule;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RoleAggregationTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& resource, const std::string& label) {
    ClusterRole role;
    role.metadata.name = name;
    if (!label.empty()) role.metadata.labels.insert_or_assign(label, "true");
    PolicyRule& rule = role.rules.emplace_back();
    rule.verbs = {"get"};
    rule.resources = {resource};
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(role))).has_value());
  }
  void AddAggregated(const std::string& name, const std::string& from, const std::string& to) {
    ClusterRole role;
    role.metadata.name = name;
    if (!to.empty()) role.metadata.labels.insert_or_assign(to, "true");
    api::meta_v1::LabelSelector selector;
    selector.match_labels.insert_or_assign(from, "true");
    role.aggregation_rule.emplace().cluster_role_selectors.push_back(std::move(selector));
    ASSERT_TRUE(client_.Create(api::Object::Of(std::move(role))).has_value());
  }
  std::vector<std::string> ResourcesOf(const std::string& name) {
    for (int i = 0; i < 10; ++i) controller_.Step();
    std::vector<std::string> resources;
    const api::Object role = *client_.Get({&api::Reflected<ClusterRole>::kKind, "", name});
    for (const PolicyRule& rule : role.As<ClusterRole>().rules) {
      resources.push_back(rule.resources.front());
    }
    return resources;
  }

  SimulatedWorld world_{1};
  client::testing::MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  RoleAggregation controller_{client_, world_.world(), informers_, Log::Silent()};
};

TEST_F(RoleAggregationTest, RulesComeFromThoseThatAreLabelled) {
  AddAggregated("view", "to-view", "to-edit");
  EXPECT_THAT(ResourcesOf("view"), IsEmpty());
  Add("b", "pods", "to-view");
  Add("a", "services", "to-view");
  Add("c", "secrets", "");
  EXPECT_THAT(ResourcesOf("view"), ElementsAre("services", "pods"));
}

TEST_F(RoleAggregationTest, AlsoFromOneThatHasThemFromOthers) {
  AddAggregated("view", "to-view", "to-edit");
  AddAggregated("edit", "to-edit", "");
  Add("a", "pods", "to-view");
  EXPECT_THAT(ResourcesOf("edit"), ElementsAre("pods"));
}

TEST_F(RoleAggregationTest, ARuleGoesWithItsRole) {
  AddAggregated("view", "to-view", "");
  Add("a", "pods", "to-view");
  EXPECT_THAT(ResourcesOf("view"), ElementsAre("pods"));
  ASSERT_TRUE(client_.Delete({&api::Reflected<ClusterRole>::kKind, "", "a"}, {}).has_value());
  EXPECT_THAT(ResourcesOf("view"), IsEmpty());
}

}  // namespace
}  // namespace dray::controllers
