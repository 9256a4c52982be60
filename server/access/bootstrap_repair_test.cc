// SPDX-License-Identifier: Apache-2.0
#include "server/access/bootstrap_repair.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/rbac_v1.h"
#include "server/access/bootstrap_policy.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

// An object from the store, which has a uid.
template <class T>
T Stored(const std::string& name) {
  const std::vector<api::Object> all = BootstrapPolicy({});
  const auto found = std::ranges::find_if(all, [&](const api::Object& one) {
    return one.If<T>() != nullptr && one.metadata().name == name;
  });
  T object = found->template As<T>();
  object.metadata.uid = "u";
  return object;
}

template <class T>
api::Object Expected(const std::string& name) {
  T object = Stored<T>(name);
  object.metadata.uid = {};
  return api::Object::Of(std::move(object));
}

constexpr const char* kRole = "system:basic-user";
constexpr const char* kBinding = "system:public-info-viewer";

TEST(BootstrapRepair, WhatLacksNothingIsLeft) {
  for (const api::Object& object : BootstrapPolicy({})) {
    EXPECT_FALSE(RepairOf(object, object).has_value()) << object.metadata().name;
  }
  auto more = Stored<rbac::ClusterRole>(kRole);
  more.rules.emplace_back().verbs = {"dance"};
  more.metadata.labels.insert_or_assign("mine", "yes");
  EXPECT_FALSE(RepairOf(api::Object::Of(more), Expected<rbac::ClusterRole>(kRole)).has_value());
}

TEST(BootstrapRepair, MissingRulesAreAddedAndOthersStay) {
  auto role = Stored<rbac::ClusterRole>(kRole);
  role.rules = {};
  role.rules.emplace_back().verbs = {"dance"};
  role.metadata.labels = {};
  const auto repair = RepairOf(api::Object::Of(role), Expected<rbac::ClusterRole>(kRole));
  ASSERT_TRUE(repair.has_value());
  EXPECT_FALSE(IsReplacement(*repair));
  const auto& repaired = repair->As<rbac::ClusterRole>();
  EXPECT_EQ(repaired.rules.front().verbs.front(), "dance");
  EXPECT_GT(repaired.rules.size(), 1U);
  EXPECT_TRUE(repaired.metadata.labels.contains("kubernetes.io/bootstrapping"));
  EXPECT_FALSE(RepairOf(*repair, Expected<rbac::ClusterRole>(kRole)).has_value());
}

TEST(BootstrapRepair, AnAggregationComesBack) {
  auto role = Stored<rbac::ClusterRole>("admin");
  role.aggregation_rule.reset();
  const auto repair = RepairOf(api::Object::Of(role), Expected<rbac::ClusterRole>("admin"));
  ASSERT_TRUE(repair.has_value());
  EXPECT_EQ(repair->As<rbac::ClusterRole>().aggregation_rule,
            Stored<rbac::ClusterRole>("admin").aggregation_rule);
  auto none = Stored<rbac::ClusterRole>(kRole);
  none.aggregation_rule.emplace();
  const auto without = RepairOf(api::Object::Of(none), Expected<rbac::ClusterRole>(kRole));
  ASSERT_TRUE(without.has_value());
  EXPECT_FALSE(without->As<rbac::ClusterRole>().aggregation_rule.has_value());
}

TEST(BootstrapRepair, MissingSubjectsAreAddedAndAnotherRoleIsReplaced) {
  auto binding = Stored<rbac::ClusterRoleBinding>(kBinding);
  const size_t subjects = binding.subjects.size();
  binding.subjects.erase(binding.subjects.begin());
  const auto expected = Expected<rbac::ClusterRoleBinding>(kBinding);
  const auto repair = RepairOf(api::Object::Of(binding), expected);
  ASSERT_TRUE(repair.has_value());
  EXPECT_EQ(repair->As<rbac::ClusterRoleBinding>().subjects.size(), subjects);
  binding.role_ref.name = "cluster-admin";
  const auto replacement = RepairOf(api::Object::Of(binding), expected);
  ASSERT_TRUE(replacement.has_value());
  EXPECT_TRUE(IsReplacement(*replacement));
  EXPECT_EQ(*replacement, expected);
}

TEST(BootstrapRepair, WhoSaysNoIsLeftAlone) {
  auto role = Stored<rbac::ClusterRole>(kRole);
  role.rules = {};
  role.metadata.annotations.insert_or_assign("rbac.authorization.kubernetes.io/autoupdate",
                                             "false");
  EXPECT_FALSE(RepairOf(api::Object::Of(role), Expected<rbac::ClusterRole>(kRole)).has_value());
}

}  // namespace
}  // namespace dray::server::access
