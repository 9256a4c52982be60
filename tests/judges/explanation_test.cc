// SPDX-License-Identifier: Apache-2.0
// Properties of explanations of random problems: counts equal those of an independent recount,
// conflicts are infeasible and minimal, suggestions help, and reasons are given only for what does
// not fit. The literal allocator decides what fits.
#include "planning/explain/explanation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "dray/selector.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/devices.h"
#include "tests/judges/brute_force.h"
#include "tests/judges/engines.h"
#include "tests/judges/holder_claims.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/question.h"
#include "tests/judges/random_problem.h"
#include "tests/judges/rules_between.h"
#include "tests/judges/taken_amounts.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using planning::Step;

constexpr allocator::Budget kExplainedBudget = {.steps_max = 100'000};

allocator::AllocatedState StateOf(const std::vector<Frozen<v1::ResourceClaim>>& holders,
                                  const allocator::Features& features,
                                  const std::set<size_t>& freed = {}) {
  scheduler::TakenDevices taken(features);
  for (size_t i = 0; i < holders.size(); ++i) {
    if (!freed.contains(i)) taken.SetClaim(holders[i]->metadata.uid, holders[i].get());
  }
  return taken.state();
}

enum class Answer3 : uint8_t { kNo, kYes, kError, kUnknown };

Answer3 ExplainedAnswer(const Problem& problem, const api::core_v1::Node& node) {
  const Result<allocator::Outcome> outcome = RunLiteral(problem, node, kExplainedBudget);
  if (!outcome) return Answer3::kError;
  if (std::holds_alternative<allocator::Undecided>(*outcome)) return Answer3::kUnknown;
  return std::holds_alternative<allocator::Allocation>(*outcome) ? Answer3::kYes : Answer3::kNo;
}

/// One problem and its explanation.
class Case {
 public:
  explicit Case(Problem problem) : problem_(std::move(problem)) {
    holders_ = HoldersOf(problem_.allocated);
    problem_.allocated = StateOf(holders_, problem_.features);
    const allocator::Snapshot snapshot(
        {.features = problem_.features}, problem_.slices, problem_.classes, problem_.allocated);
    std::vector<planning::CandidateNode> nodes;
    for (const api::core_v1::Node& node : problem_.nodes) nodes.push_back({.node = &node});
    const planning::Holders holders(holders_);
    explanation_ = planning::Explain({.snapshot = snapshot,
                                      .holders = holders,
                                      .claims = problem_.claims,
                                      .nodes = nodes,
                                      .budget = kExplainedBudget});
  }

  const Problem& problem() const { return problem_; }
  const planning::Explanation& explanation() const { return explanation_; }

  /// The verdict for all nodes together; kError if a node has it.
  Answer3 Verdict() const {
    Answer3 verdict = Answer3::kNo;
    for (const api::core_v1::Node& node : problem_.nodes)
      verdict = std::max(verdict, ExplainedAnswer(problem_, node));
    return verdict;
  }

  void ExpectCounts() const {
    if (explanation_.funnels.empty()) return;
    std::vector<std::map<std::pair<std::string, size_t>, Step>> furthest(
        explanation_.funnels.size());
    for (const api::core_v1::Node& node : problem_.nodes) {
      if (!RecountNode(node, furthest)) return;  // the allocator rejects the claims there
    }
    for (size_t way = 0; way < furthest.size(); ++way) ExpectCounts(way, furthest[way]);
  }

  void ExpectGroups() const {
    size_t nodes = 0;
    for (const planning::NodeGroup& group : explanation_.groups) {
      EXPECT_FALSE(group.nodes.empty());
      nodes += group.nodes.size();
    }
    EXPECT_EQ(nodes, problem_.nodes.size());
  }

  void ExpectConflict() const {
    if (!explanation_.conflict.has_value()) return;
    const std::vector<planning::ConflictPart>& parts = explanation_.conflict->parts;
    const Answer3 all = AnswerWith(parts);
    EXPECT_NE(all, Answer3::kYes) << "the conflict is feasible";
    for (size_t i = 0; i < parts.size(); ++i) {
      std::vector<planning::ConflictPart> rest = parts;
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
      const Answer3 answer = AnswerWith(rest);
      EXPECT_TRUE(answer == Answer3::kYes || answer == Answer3::kUnknown)
          << "the conflict is not minimal: part " << i;
    }
  }

  void ExpectSuggestions() const {
    for (const planning::Suggestion& suggestion : explanation_.suggestions) {
      Problem changed = problem_;
      changed.claims = suggestion.claims;
      changed.allocated =
          StateOf(holders_, problem_.features, {suggestion.freed.begin(), suggestion.freed.end()});
      if (suggestion.added != nullptr) changed.slices.push_back(suggestion.added);
      const Answer3 answer = ExplainedAnswer(changed, NodeNamed(suggestion.node));
      EXPECT_TRUE(answer == Answer3::kYes || answer == Answer3::kUnknown) << suggestion.text;
      if (suggestion.kind != planning::ChangeKind::kSplitPod) continue;
      ExpectSameRequests(suggestion);
      if (answer == Answer3::kYes) ExpectSecondFits(suggestion, std::move(changed));
    }
  }

 private:
  /// The two pods request as many devices as the one did, and each requests some.
  void ExpectSameRequests(const planning::Suggestion& suggestion) const {
    using Counts = std::map<std::string, int64_t>;
    const auto add = [](const planning::WantedClaims& claims, Counts& counts) {
      for (const auto& claim : claims) {
        for (const v1::DeviceRequest& request : claim->spec.devices.requests)
          counts[claim->metadata.name + " " + request.name] +=
              request.exactly.has_value() ? request.exactly->count : 0;
      }
    };
    Counts before;
    Counts after;
    add(problem_.claims, before);
    add(suggestion.claims, after);
    add(suggestion.second_claims, after);
    EXPECT_EQ(before, after) << suggestion.text;
    EXPECT_TRUE(!suggestion.claims.empty() && !suggestion.second_claims.empty());
  }

  /// The second pod fits together with the first. `first`: the first pod's problem.
  void ExpectSecondFits(const planning::Suggestion& suggestion, Problem first) const {
    const Result<allocator::Outcome> outcome =
        RunLiteral(first, NodeNamed(suggestion.node), kExplainedBudget);
    std::vector<Frozen<v1::ResourceClaim>> holders = holders_;
    for (const auto& result : std::get<allocator::Allocation>(*outcome).results) {
      auto claim = std::make_shared<v1::ResourceClaim>();
      claim->metadata.uid = fmt::format("of the first pod {}", holders.size());
      claim->status.allocation = result;
      holders.push_back(std::move(claim));
    }
    first.claims = suggestion.second_claims;
    first.allocated = StateOf(holders, problem_.features);
    const Answer3 answer = ExplainedAnswer(first, NodeNamed(suggestion.second_node));
    EXPECT_TRUE(answer == Answer3::kYes || answer == Answer3::kUnknown) << suggestion.text;
  }

  const api::core_v1::Node& NodeNamed(const std::string& name) const {
    return *std::ranges::find(
        problem_.nodes, name, [](const api::core_v1::Node& node) { return node.metadata.name; });
  }

  Answer3 AnswerWith(const std::vector<planning::ConflictPart>& parts) const {
    std::set<size_t> freed;
    for (size_t i = 0; i < holders_.size(); ++i) freed.insert(i);
    const std::set<size_t> there = HoldersOn(explanation_.conflict->node);
    for (size_t i = 0; i < holders_.size(); ++i) {
      if (!there.contains(i)) freed.erase(i);
    }
    for (const planning::ConflictPart& part : parts) {
      if (part.kind == planning::PartKind::kHolder) freed.erase(part.claim_index);
    }
    Problem fewer = problem_;
    fewer.claims = planning::OnlyParts(problem_.claims, parts);
    fewer.allocated = StateOf(holders_, problem_.features, freed);
    return ExplainedAnswer(fewer, NodeNamed(explanation_.conflict->node));
  }

  /// The holders of devices that the node reaches; the others are never freed.
  std::set<size_t> HoldersOn(const std::string& name) const {
    std::set<size_t> places;
    const Result<SeenPools> seen = SeePools(problem_, NodeNamed(name));
    for (size_t i = 0; seen && i < holders_.size(); ++i) {
      const auto& result = holders_[i]->status.allocation->devices.results.front();
      for (const SeenDevice& device : seen->devices) {
        if (device.id() == allocator::DeviceIdView{result.driver, result.pool, result.device})
          places.insert(i);
      }
    }
    return places;
  }

  /// False if the judge rejects the claims.
  bool RecountNode(const api::core_v1::Node& node,
                   std::vector<std::map<std::pair<std::string, size_t>, Step>>& furthest) const {
    Problem alone = problem_;  // constraints are about several devices
    for (auto& claim : alone.claims) {
      auto copy = std::make_shared<v1::ResourceClaim>(*claim);
      copy->spec.devices.constraints.clear();
      claim = std::move(copy);
    }
    const Result<Question> question = Read(alone, node);
    if (!question) return false;
    const RulesBetween rules(*question);
    size_t number = 0;
    for (size_t want = 0; want < question->wants.size(); ++want) {
      for (size_t way = 0; way < question->wants[want].ways.size(); ++way, ++number) {
        for (size_t device = 0; device < question->seen.devices.size(); ++device) {
          const SeenDevice& seen = question->seen.devices[device];
          const std::pair key(seen.slice->metadata.name,
                              static_cast<size_t>(seen.device - seen.slice->spec.devices.data()));
          const Step step = Recount(*question, rules, {want, way, device});
          const auto [known, is_new] = furthest[number].try_emplace(key, step);
          known->second = std::max(known->second, step);
        }
      }
    }
    return true;
  }

  bool AllMatch(std::span<const v1::DeviceSelector> selectors, const SeenDevice& seen) const {
    v1::Device device = *seen.device;
    if (problem_.features.Picked() == allocator::Implementation::kStable)
      device.allow_multiple_allocations = false;
    return std::ranges::all_of(selectors, [&](const v1::DeviceSelector& selector) {
      const auto compiled =
          allocator::Selector::Compile(selector.cel->expression, problem_.features);
      if (!compiled) return false;
      const Result<bool> matches = compiled->Matches(seen.slice->spec.driver, device);
      return matches && *matches;
    });
  }

  Step Recount(const Question& question, const RulesBetween& rules, const Taken& taken) const {
    const Way& way = question.wants[taken.want].ways[taken.way];
    const SeenDevice& seen = question.seen.devices[taken.device];
    const allocator::Features& features = problem_.features;
    if (!AllMatch(way.device_class->spec.selectors, seen)) return Step::kClass;
    if (!AllMatch(way.selectors, seen)) return Step::kSelectors;
    if (!features.device_binding_and_status && !seen.device->binding_conditions.empty())
      return Step::kSwitchedOff;
    const Opinion& opinion = way.opinions[taken.device];
    const bool is_off =
        (!features.partitionable_devices && !seen.device->consumes_counters.empty()) ||
        (!seen.slice->spec.skip_node_operations.empty() &&
         features.Picked() == allocator::Implementation::kExperimental &&
         !(features.optional_node_operations &&
           std::ranges::find(question.node->status.declared_features,
                             "DRAOptionalNodeOperations") !=
               question.node->status.declared_features.end()));
    if (is_off) return Step::kSwitchedOff;
    if (opinion.selectable != Answer::kYes) return Step::kNode;
    if (features.consumable_capacity) {
      const TakenAmounts amounts =
          AmountsOf(*seen.device, way.capacity, features.fractional_capacity_range);
      bool holds = amounts.answer == Answer::kYes;
      for (const auto& [name, amount] : amounts.amounts)
        holds = holds && amount <= seen.device->capacity.find(name)->second.value;
      if (!holds) return Step::kTooSmall;
    }
    if (opinion.acceptable != Answer::kYes) {
      const bool is_taken = !way.is_admin && problem_.allocated.devices.contains(seen.id());
      Problem free = problem_;
      free.allocated = {};
      if (!is_taken) return Step::kTaints;
      return HasBlockingTaint(way, *seen.device) ? Step::kTaints : Step::kInUse;
    }
    if (rules.Broken({&taken, 1}).empty()) return Step::kUsable;
    return Step::kCounters;  // or kCapacity
  }

  bool HasBlockingTaint(const Way& way, const v1::Device& device) const {
    if (!problem_.features.device_taints) return false;
    return std::ranges::any_of(device.taints, [&](const v1::DeviceTaint& taint) {
      const bool blocks = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
      return blocks && std::ranges::none_of(way.tolerations, [&](const auto& toleration) {
               return (toleration.effect.empty() || toleration.effect == taint.effect) &&
                      (toleration.key.empty() || toleration.key == taint.key) &&
                      (toleration.operator_ == "Exists" ||
                       ((toleration.operator_.empty() || toleration.operator_ == "Equal") &&
                        toleration.value == taint.value));
             });
    });
  }

  void ExpectCounts(size_t way,
                    const std::map<std::pair<std::string, size_t>, Step>& furthest) const {
    const planning::Funnel& funnel = explanation_.funnels[way];
    const auto count = [&](Step step) { return funnel.counts[static_cast<size_t>(step)]; };
    planning::StepCounts recounted = {};
    for (const auto& [device, step] : furthest) ++recounted[static_cast<size_t>(step)];
    size_t devices = 0;
    for (const auto& slice : problem_.slices) devices += slice->spec.devices.size();
    EXPECT_EQ(funnel.devices, devices);
    // Those that no node may use, and those of unusable pools, selected or not.
    size_t others = count(Step::kElsewhere) + count(Step::kPool);
    for (const Step step : {Step::kClass, Step::kSelectors}) {
      EXPECT_GE(count(step), recounted[static_cast<size_t>(step)]) << funnel.request;
      others += count(step) - recounted[static_cast<size_t>(step)];
    }
    EXPECT_EQ(others, devices - furthest.size());
    for (const Step step : {Step::kSwitchedOff,
                            Step::kNode,
                            Step::kTooSmall,
                            Step::kTaints,
                            Step::kInUse,
                            Step::kUsable}) {
      EXPECT_EQ(count(step), recounted[static_cast<size_t>(step)])
          << funnel.request << " " << planning::StepName(step);
    }
    EXPECT_EQ(count(Step::kCounters) + count(Step::kCapacity),
              recounted[static_cast<size_t>(Step::kCounters)]);
    for (size_t step = 1; step + 1 < planning::kSteps; ++step) {
      size_t removed = 0;
      for (const planning::Removal& removal : funnel.removals) {
        if (removal.step == static_cast<Step>(step)) removed += removal.devices;
      }
      EXPECT_EQ(removed, funnel.counts[step]) << planning::StepName(static_cast<Step>(step));
    }
  }

  Problem problem_;
  std::vector<Frozen<v1::ResourceClaim>> holders_;
  planning::Explanation explanation_;
};

bool IsReasonless(const planning::Explanation& explanation) {
  if (!explanation.refusal.empty()) return false;
  if (explanation.groups.empty()) return true;
  const bool has_conflict = explanation.conflict.has_value();
  const bool is_open = explanation.groups.front().trouble == planning::Trouble::kUndecided;
  return explanation.fits() || (!has_conflict && !is_open);
}

TEST(ExplanationProperty, CountsConflictsAndSuggestionsAreTrue) {
  constexpr uint64_t kUsual = 100;   // about five seconds
  constexpr uint64_t kSoaked = 250;  // 5 000 of `make soak`
  const uint64_t wanted = Instances(1) == 1 ? kUsual : Instances(kSoaked);
  uint64_t infeasible = 0;
  uint64_t conflicts = 0;
  uint64_t suggestions = 0;
  uint64_t splits = 0;
  for (uint64_t seed = 1; infeasible < wanted; ++seed) {
    const Case one(RandomProblem(seed, {.nodes_max = 3, .devices_max = 9, .claims_max = 2}));
    const planning::Explanation& explanation = one.explanation();
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, EncodeProblem(one.problem())));
    const Answer3 verdict = one.Verdict();
    one.ExpectCounts();
    if (verdict == Answer3::kUnknown) continue;
    if (verdict == Answer3::kError) {
      EXPECT_NE(explanation.refusal, "");
    } else if (verdict == Answer3::kYes) {
      EXPECT_EQ(explanation.refusal, "");
      EXPECT_TRUE(explanation.fits());
      EXPECT_TRUE(!explanation.conflict.has_value() && explanation.suggestions.empty());
    } else {
      EXPECT_FALSE(IsReasonless(explanation));
      one.ExpectGroups();
      one.ExpectConflict();
      one.ExpectSuggestions();
      if (explanation.conflict.has_value()) ++conflicts;
      suggestions += explanation.suggestions.size();
      splits += static_cast<uint64_t>(std::ranges::count(
          explanation.suggestions, planning::ChangeKind::kSplitPod, &planning::Suggestion::kind));
      ++infeasible;
    }
    EXPECT_NE(planning::OneLine(explanation), "");
    EXPECT_LE(planning::OneLine(explanation).size(), planning::kEventBytesMax);
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  ::testing::Test::RecordProperty("conflicts", static_cast<int>(conflicts));
  ::testing::Test::RecordProperty("suggestions", static_cast<int>(suggestions));
  ::testing::Test::RecordProperty("splits", static_cast<int>(splits));
  EXPECT_GT(conflicts, wanted / 2);
  EXPECT_GT(suggestions, wanted / 2);
  EXPECT_GT(splits, wanted / 20);
}

}  // namespace
}  // namespace dray::judges
