// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemption/preemption.h"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::scheduler::inline preemption {
namespace {

namespace core_v1 = api::core_v1;
using ::testing::ElementsAre;

PodOnNode PodOf(const std::string& name, int32_t priority, int64_t cpu, int64_t started = 0) {
  PodOnNode pod{.uid = "uid-" + name, .key = "lab/" + name, .priority = priority};
  pod.requests["cpu"] = cpu;
  if (started > 0) pod.started = api::Time::FromUnixSeconds(started);
  return pod;
}

Victim Alone(const PodOnNode& pod) {
  return {.pods = {pod}, .priority = pod.priority};
}

using Verdict = Result<std::optional<Rejection>>;

/// The victims on a node full of `pods` for a pod that requests `wanted` of its 8000m CPU.
std::vector<std::string> VictimsFor(const std::vector<Victim>& others,
                                    int32_t priority,
                                    int64_t wanted,
                                    const DisruptionBudgets& budgets = DisruptionBudgets()) {
  NodeState state;
  state.allocatable["cpu"] = 8000;
  for (const Victim& victim : others) {
    for (const PodOnNode& pod : victim.pods) {
      if (!pod.is_elsewhere) state.requested["cpu"] += pod.requests.at("cpu");
    }
  }
  const auto fits = [&](const NodeState& left) -> Verdict {
    if (left.requested.at("cpu") + wanted <= 8000) return std::optional<Rejection>();
    return Rejection{.reasons = {"Insufficient cpu"}};
  };
  const auto chosen = ChooseVictims(state, others, priority, budgets, {.fits = fits});
  if (const auto* why_not = std::get_if<Rejection>(&*chosen)) return why_not->reasons;
  std::vector<std::string> names;
  const auto& victims = std::get<ChosenVictims>(*chosen);
  for (const PodOnNode& victim : victims.pods) names.push_back(victim.key);
  if (victims.violations > 0) names.push_back(std::to_string(victims.violations) + " violated");
  return names;
}

TEST(ChooseVictims, TheLeastImportantGo) {
  const std::vector<Victim> pods = {Alone(PodOf("low", 1, 2000)),
                                    Alone(PodOf("high", 9, 2000)),
                                    Alone(PodOf("middle", 5, 2000, 100)),
                                    Alone(PodOf("late", 5, 2000, 200))};
  const struct {
    std::string name;
    int32_t priority;
    int64_t wanted;
    std::vector<std::string> victims;
  } cases[] = {
      {"one is enough", 10, 1000, {"lab/low"}},
      {"of equals the one that began last", 10, 3000, {"lab/late", "lab/low"}},
      {"more", 10, 6000, {"lab/middle", "lab/late", "lab/low"}},
      {"all", 10, 8000, {"lab/high", "lab/middle", "lab/late", "lab/low"}},
      {"not those of its own priority", 9, 6000, {"lab/middle", "lab/late", "lab/low"}},
      {"even so it does not fit", 9, 7000, {"Insufficient cpu"}},
      {"no pod is less important", 1, 1000, {std::string(kNoVictims)}},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(VictimsFor(pods, test.priority, test.wanted), test.victims) << test.name;
  }
}

TEST(ChooseVictims, BigOnesThatStayAreSkipped) {
  EXPECT_THAT(VictimsFor({Alone(PodOf("big", 5, 6000)), Alone(PodOf("small", 1, 2000))}, 10, 6000),
              ElementsAre("lab/big"));
}

TEST(ChooseVictims, ThoseWithABudgetStayIfOthersDo) {
  core_v1::Pod kept;
  kept.metadata.namespace_ = "lab";
  kept.metadata.labels["app"] = "kept";
  api::policy_v1::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "lab";
  budget.spec.selector.emplace().match_labels["app"] = "kept";
  budget.status.disruptions_allowed = 1;
  const std::vector<const api::policy_v1::PodDisruptionBudget*> all = {&budget};
  std::vector<Victim> pods;
  for (const int32_t priority : {1, 2, 3}) {
    pods.push_back(Alone(PodOf("kept-" + std::to_string(priority), priority, 2000)));
    pods.back().pods[0].pod = &kept;
  }
  pods.push_back(Alone(PodOf("free", 9, 2000)));
  EXPECT_THAT(VictimsFor(pods, 10, 2000), ElementsAre("lab/kept-1"));
  // The budget allows the first of the counted pods to go; the others are added back before it.
  const DisruptionBudgets budgets(all);
  EXPECT_THAT(VictimsFor(pods, 10, 2000, budgets), ElementsAre("lab/kept-3"));
  EXPECT_THAT(VictimsFor(pods, 10, 4000, budgets), ElementsAre("lab/free", "lab/kept-3"));
  EXPECT_THAT(VictimsFor(pods, 10, 6000, budgets),
              ElementsAre("lab/free", "lab/kept-3", "lab/kept-1", "1 violated"));
  budget.status.disruptions_allowed = 0;
  EXPECT_THAT(VictimsFor(pods, 10, 2000, DisruptionBudgets(all)), ElementsAre("lab/free"));
}

TEST(ChooseVictims, AGroupGoesAsAWhole) {
  PodOnNode there = PodOf("member-b", 5, 2000);
  there.is_elsewhere = true;
  const Victim group{
      .pods = {PodOf("member-a", 5, 2000), there}, .priority = 5, .is_of_group = true};
  const Victim equal = Alone(PodOf("alone", 5, 2000, 1));
  EXPECT_THAT(VictimsFor({group, equal}, 10, 5000), ElementsAre("lab/alone"));
  EXPECT_THAT(VictimsFor({group, equal}, 10, 7000),
              ElementsAre("lab/member-a", "lab/member-b", "lab/alone"));
}

TEST(ChooseVictims, WhoWatchesIsToldOfEachMove) {
  std::vector<std::string> reported;
  const Trial trial{
      .fits = [&](const NodeState&) -> Verdict {
        if (reported.size() == 1) return std::optional<Rejection>();
        return Rejection{.reasons = {"both want one port"}};
      },
      .moved =
          [&](const PodOnNode& pod, Trial::Change change) {
            reported.push_back(pod.key + (change == Trial::Change::kGone ? "-" : "+"));
          }};
  NodeState state;
  PodOnNode pod = PodOf("low", 1, 1);
  pod.ports = {{.protocol = "TCP", .port = 80, .ip = "0.0.0.0"}};
  state.ports[pod.ports[0]] = 1;
  ASSERT_TRUE(ChooseVictims(state, {Alone(pod)}, 2, DisruptionBudgets(), trial).has_value());
  EXPECT_THAT(reported, ElementsAre("lab/low-", "lab/low+", "lab/low-"));
}

TEST(ChooseVictims, ErrorsEndIt) {
  const auto fits = [](const NodeState&) -> Verdict {
    return dray::Fail(StatusReason::kTimeout, "too long");
  };
  const auto chosen =
      ChooseVictims({}, {Alone(PodOf("low", 1, 1))}, 2, DisruptionBudgets(), {.fits = fits});
  EXPECT_FALSE(chosen.has_value());
}

std::string Least(const std::vector<std::vector<PodOnNode>>& victims) {
  std::vector<Preemption> candidates;
  for (const auto& of_one : victims) {
    const size_t at = candidates.size();
    candidates.push_back({.node = at, .name = std::to_string(at), .victims = of_one});
  }
  return LeastHarm(candidates).name;
}

TEST(LeastHarm, ByUpstreamsOrder) {
  EXPECT_EQ(Least({{PodOf("a", 5, 1)}, {PodOf("b", 4, 1), PodOf("c", 4, 1)}}), "1");
  EXPECT_EQ(Least({{PodOf("a", 5, 1), PodOf("b", 4, 1)}, {PodOf("c", 5, 1), PodOf("d", 3, 1)}}),
            "1");
  EXPECT_EQ(Least({{PodOf("a", 5, 1), PodOf("b", -2147483647 - 1, 1)}, {PodOf("c", 5, 1)}}), "1");
  EXPECT_EQ(Least({{PodOf("a", 5, 1, 100)}, {PodOf("b", 5, 1, 200)}}), "1");
  EXPECT_EQ(Least({{PodOf("a", 5, 1, 100)}, {PodOf("b", 5, 1, 100)}}), "0");
  const Preemption against{.node = 0, .name = "0", .victims = {PodOf("a", 1, 1)}, .violations = 1};
  const Preemption fair{.node = 1, .name = "1", .victims = {PodOf("b", 9, 1)}};
  EXPECT_EQ(LeastHarm(std::vector{against, fair}).name, "1");
}

}  // namespace
}  // namespace dray::scheduler::inline preemption
