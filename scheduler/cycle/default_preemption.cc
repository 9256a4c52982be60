// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/default_preemption.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/cluster/disruption_budgets.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;

// Candidates are at least this many nodes with victims: upstream's limit.
constexpr size_t kCandidatesMin = 100;
constexpr size_t kCandidatesPart = 10;

// The work to try a victim, or to copy a disruption budget.
constexpr uint64_t kWorkPerVictim = 1'000;

/// Why the pod may not preempt; empty: it may.
std::string WhyNotPreempting(const core_v1::Pod& pod,
                             const ClusterView& view,
                             std::span<const size_t> resolvable) {
  if (pod.spec.preemption_policy == "Never") return std::string(kNeverPreempts);
  const std::string& nominated = pod.status.nominated_node_name;
  if (nominated.empty() || !view.victims_on) return {};
  const bool is_resolvable = std::ranges::any_of(resolvable, [&](size_t index) {
    return view.nodes[index]->value().metadata.name == nominated;
  });
  // An earlier preemption is still making room there.
  const auto is_going = [](const Victim& victim) {
    return std::ranges::any_of(
        victim.pods, [](const PodOnNode& one) { return one.is_going && !one.is_elsewhere; });
  };
  if (is_resolvable && std::ranges::any_of(view.victims_on(nominated), is_going)) {
    return "not eligible due to a terminating pod on the nominated node.";
  }
  return {};
}

class VictimSearch {
 public:
  VictimSearch(const core_v1::Pod& pod,
               const ClusterView& view,
               const VictimQuestions& questions,
               Unschedulable& result)
      : pod_(pod), view_(view), questions_(questions), result_(result) {}

  void LookOn(size_t index, std::vector<Preemption>& candidates) {
    const NodeState& state = *view_.nodes[index];
    const std::string& name = state.value().metadata.name;
    std::vector<Victim> others;
    if (view_.victims_on) others = view_.victims_on(name);
    // A trial copies the counts so far and tries each victim.
    view_.neighbours.MayGoOn(kWorkPerVictim * (1 + others.size()));
    const Trial trial = questions_.begin();
    auto chosen = ChooseVictims(
        state, std::move(others), pod_.spec.priority.value_or(0), BudgetsNow(), trial);
    if (!chosen) {
      result_.preemption_reasons.push_back(chosen.error().message);
    } else if (auto* why_not = std::get_if<Rejection>(&*chosen)) {
      std::ranges::move(why_not->reasons, std::back_inserter(result_.preemption_reasons));
    } else {
      auto& victims = std::get<ChosenVictims>(*chosen);
      if (victims.pods.empty()) return;  // it fits without evictions; the next attempt will bind it
      candidates.push_back({.node = index,
                            .name = name,
                            .victims = std::move(victims.pods),
                            .violations = victims.violations});
    }
  }

 private:
  /// The budgets at the start of the attempt: read once, and copied for each node.
  const DisruptionBudgets& BudgetsNow() {
    if (!budgets_.has_value()) budgets_ = view_.budgets ? view_.budgets() : DisruptionBudgets();
    view_.neighbours.MayGoOn(kWorkPerVictim * budgets_->size());
    return *budgets_;
  }

  const core_v1::Pod& pod_;
  const ClusterView& view_;
  const VictimQuestions& questions_;
  Unschedulable& result_;
  std::optional<DisruptionBudgets> budgets_;
};

}  // namespace

void LookForVictims(const core_v1::Pod& pod,
                    const ClusterView& view,
                    std::span<const size_t> resolvable,
                    const VictimQuestions& questions,
                    Unschedulable& result) {
  result.not_preempting = WhyNotPreempting(pod, view, resolvable);
  if (!result.not_preempting.empty()) return;
  const size_t enough = std::max(kCandidatesMin, view.nodes.size() / kCandidatesPart);
  std::vector<Preemption> candidates;
  VictimSearch search(pod, view, questions, result);
  for (const size_t index : resolvable) {
    if (candidates.size() == enough || questions.is_out_of_work()) break;
    search.LookOn(index, candidates);
  }
  if (!candidates.empty()) result.preemption = LeastHarm(candidates);
}

}  // namespace dray::scheduler::inline cycle
