// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/brute_force.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "tests/judges/result_check.h"

namespace dray::judges {
namespace {

/// Exhaustive search, request by request.
class Enumeration {
 public:
  Enumeration(const Question& question, const RulesBetween& rules, BruteForceLimits limits)
      : question_(question), rules_(rules), limits_(limits) {}

  Existence Run() {
    const bool found = ChooseFrom(0);
    if (is_over_) return {Existence::Verdict::kUnknown, "there is too much to try"};
    if (!found) return {Existence::Verdict::kInfeasible};
    return {.verdict = Existence::Verdict::kFeasible, .smallest = taken_};
  }

 private:
  /// Whether the wants from `want` on can be satisfied in addition to the devices chosen so far.
  bool ChooseFrom(size_t want) {
    if (want == question_.wants.size()) return true;
    for (size_t i = 0; i < question_.wants[want].ways.size(); ++i) {
      if (ChooseWay(want, i)) return true;
    }
    return false;
  }

  bool ChooseWay(size_t want, size_t index) {
    const Way& way = question_.wants[want].ways[index];
    const size_t before = taken_.size();
    if (!way.wants_all) {
      // More devices than the limit of a claim are impossible.
      if (way.count > kClaimDevicesMax) return false;
      return ChooseSubset(want, index, 0, std::max<int64_t>(way.count, 0));
    }
    if (way.all_devices.empty()) return false;
    for (const size_t device : way.all_devices) taken_.push_back({want, index, device});
    if (IsAllowed() && ChooseFrom(want + 1)) return true;
    taken_.resize(before);
    return false;
  }

  /// Adds `missing` more of the devices from `first` on, in every possible way.
  bool ChooseSubset(size_t want, size_t index, size_t first, int64_t missing) {
    if (missing == 0) return IsAllowed() && ChooseFrom(want + 1);
    const Way& way = question_.wants[want].ways[index];
    for (size_t device = first; device < way.opinions.size() && !is_over_; ++device) {
      if (way.opinions[device].acceptable != Answer::kYes) continue;
      taken_.push_back({want, index, device});
      if (ChooseSubset(want, index, device + 1, missing - 1)) return true;
      taken_.pop_back();
    }
    return false;
  }

  bool IsAllowed() {
    is_over_ = is_over_ || ++tried_ > limits_.sets_max;
    return !is_over_ && rules_.Broken(taken_).empty();
  }

  const Question& question_;
  const RulesBetween& rules_;
  BruteForceLimits limits_;
  std::vector<Taken> taken_;
  int64_t tried_ = 0;
  bool is_over_ = false;
};

std::string Describe(const Question& question, const std::vector<Taken>& taken) {
  std::string text;
  for (const Taken& one : taken) {
    const Want& want = question.wants[one.want];
    text += fmt::format(" {}:{}={}",
                        want.claim,
                        want.ways[one.way].FullName(),
                        question.seen.devices[one.device].id().ToString());
  }
  return text.empty() ? " nothing" : text;
}

Judgement JudgeUnsatisfiable(const Question& question,
                             const allocator::Unsatisfiable& answer,
                             const Existence& existence) {
  if (existence.verdict == Existence::Verdict::kFeasible)
    return {.objection = "there is an allocation:" + Describe(question, existence.smallest)};
  if (answer.node_error.empty() == question.has_invalid_pool)
    return {.objection = "the node error does not follow the pools"};
  return {};
}

Judgement JudgeAllocation(const Question& question,
                          const allocator::Allocation& answer,
                          const Existence& existence) {
  if (std::string broken = Check(question, answer); !broken.empty())
    return {.objection = std::move(broken)};
  if (existence.verdict == Existence::Verdict::kInfeasible)
    return {.objection = "there is no allocation"};
  if (existence.verdict == Existence::Verdict::kUnknown) return {};
  const Result<std::vector<Taken>> taken = TakenBy(question, answer);
  const auto key = [](const Taken& one) { return std::tuple(one.want, one.way, one.device); };
  if (!taken || !std::ranges::equal(*taken, existence.smallest, {}, key, key))
    return {.objection = "the first allocation would be" + Describe(question, existence.smallest)};
  return {};
}

}  // namespace

std::string Check(const Question& question, const allocator::Allocation& allocation) {
  const Result<std::vector<Taken>> taken = TakenBy(question, allocation);
  if (!taken) return taken.error().message;
  if (std::string broken = RulesBetween(question).Broken(*taken); !broken.empty()) return broken;
  return WrongWords(question, allocation, *taken);
}

Existence Exists(const Question& question, BruteForceLimits limits) {
  const RulesBetween rules(question);
  if (std::string doubt = rules.Doubt(); !doubt.empty())
    return {Existence::Verdict::kUnknown, std::move(doubt)};
  return Enumeration(question, rules, limits).Run();
}

Judgement JudgeOutcome(const Problem& problem,
                       const api::core_v1::Node& node,
                       const Result<allocator::Outcome>& outcome,
                       BruteForceLimits limits) {
  const Result<Question> question = Read(problem, node);
  if (!question) {
    if (!outcome) return {};
    return {.objection = "no error, but: " + question.error().message};
  }
  if (outcome.has_value() && std::holds_alternative<allocator::Undecided>(*outcome))
    return {.unknown = "undecided"};
  const Existence existence = Exists(*question, limits);
  Judgement judgement;
  if (!outcome) {
    if (existence.verdict != Existence::Verdict::kUnknown || existence.reason.starts_with("there"))
      judgement.objection = "an error without cause: " + outcome.error().message;
  } else if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
    judgement = JudgeUnsatisfiable(*question, *none, existence);
  } else {
    judgement = JudgeAllocation(*question, std::get<allocator::Allocation>(*outcome), existence);
  }
  judgement.unknown = existence.reason;
  return judgement;
}

}  // namespace dray::judges
