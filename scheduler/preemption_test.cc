// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemption.h"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PodOnNode PodOf(const std::string& name, int32_t priority, int64_t cpu, int64_t started = 0) {
  PodOnNode pod{.uid = "uid-" + name, .key = "lab/" + name, .priority = priority};
  pod.requests["cpu"] = cpu;
  if (started > 0) pod.started = api::Time::FromUnixSeconds(started);
  return pod;
}

/// A node full of `pods`, one of whose processors (8000) somebody wants `wanted` of.
std::vector<std::string> VictimsFor(const std::vector<PodOnNode>& pods,
                                    int32_t priority,
                                    int64_t wanted) {
  NodeState state;
  state.allocatable["cpu"] = 8000;
  for (const PodOnNode& pod : pods) state.requested["cpu"] += pod.requests.at("cpu");
  const auto chosen = ChooseVictims(
      state, pods, priority, [&](const NodeState& left) -> Result<std::optional<Rejection>> {
        if (left.requested.at("cpu") + wanted <= 8000) return std::optional<Rejection>();
        return Rejection{.reasons = {"Insufficient cpu"}};
      });
  if (const auto* why_not = std::get_if<Rejection>(&*chosen)) return why_not->reasons;
  std::vector<std::string> names;
  for (const PodOnNode& victim : std::get<std::vector<PodOnNode>>(*chosen)) {
    names.push_back(victim.key);
  }
  return names;
}

TEST(ChooseVictims, TheLeastImportantGo) {
  const std::vector<PodOnNode> pods = {PodOf("low", 1, 2000),
                                       PodOf("high", 9, 2000),
                                       PodOf("middle", 5, 2000, 100),
                                       PodOf("late", 5, 2000, 200)};
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
      {"nobody is less important", 1, 1000, {std::string(kNoVictims)}},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(VictimsFor(pods, test.priority, test.wanted), test.victims) << test.name;
  }
}

TEST(ChooseVictims, BigOnesThatStayAreSkipped) {
  EXPECT_THAT(VictimsFor({PodOf("big", 5, 6000), PodOf("small", 1, 2000)}, 10, 6000),
              ElementsAre("lab/big"));
}

TEST(ChooseVictims, ErrorsEndIt) {
  const auto chosen = ChooseVictims(
      {}, {PodOf("low", 1, 1)}, 2, [](const NodeState&) -> Result<std::optional<Rejection>> {
        return dray::Fail(StatusReason::kTimeout, "too long");
      });
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
}

}  // namespace
}  // namespace dray::scheduler
