// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/disruption_budgets.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
using api::policy_v1::PodDisruptionBudget;

core_v1::Pod DisruptedPod(const std::string& name, const std::string& app) {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = name;
  if (!app.empty()) pod.metadata.labels["app"] = app;
  return pod;
}

PodDisruptionBudget BudgetFor(const std::string& app, int32_t allowed) {
  PodDisruptionBudget budget;
  budget.metadata.namespace_ = "lab";
  auto& selector = budget.spec.selector.emplace();
  if (!app.empty()) selector.match_labels["app"] = app;
  budget.status.disruptions_allowed = allowed;
  return budget;
}

DisruptionBudgets Of(const std::vector<PodDisruptionBudget>& budgets) {
  std::vector<const PodDisruptionBudget*> all;
  for (const PodDisruptionBudget& budget : budgets) all.push_back(&budget);
  return DisruptionBudgets(all);
}

TEST(DisruptionBudgets, CountPodsUntilNoneIsLeft) {
  DisruptionBudgets budgets = Of({BudgetFor("a", 2)});
  EXPECT_FALSE(budgets.IsViolatedBy(DisruptedPod("1", "a")));
  EXPECT_FALSE(budgets.IsViolatedBy(DisruptedPod("2", "b")));
  EXPECT_FALSE(budgets.IsViolatedBy(DisruptedPod("3", "a")));
  EXPECT_TRUE(budgets.IsViolatedBy(DisruptedPod("4", "a")));
}

TEST(DisruptionBudgets, AreAboutPodsThatTheySelect) {
  core_v1::Pod other = DisruptedPod("1", "a");
  other.metadata.namespace_ = "elsewhere";
  EXPECT_FALSE(Of({BudgetFor("a", 0)}).IsViolatedBy(other));
  EXPECT_FALSE(Of({BudgetFor("a", 0)}).IsViolatedBy(DisruptedPod("1", "")));
  EXPECT_FALSE(Of({BudgetFor("", 0)}).IsViolatedBy(DisruptedPod("1", "a")));  // selects nothing
  PodDisruptionBudget without;
  without.metadata.namespace_ = "lab";
  EXPECT_FALSE(Of({without}).IsViolatedBy(DisruptedPod("1", "a")));
}

TEST(DisruptionBudgets, KnowWhoIsGoingAlready) {
  PodDisruptionBudget budget = BudgetFor("a", 0);
  budget.status.disrupted_pods["1"] = api::Time::FromUnixSeconds(1);
  DisruptionBudgets budgets = Of({budget});
  EXPECT_FALSE(budgets.IsViolatedBy(DisruptedPod("1", "a")));
  EXPECT_TRUE(budgets.IsViolatedBy(DisruptedPod("2", "a")));
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
