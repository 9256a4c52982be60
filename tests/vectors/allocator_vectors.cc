// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_vectors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "allocator/inventory/inventory.h"
#include "allocator/literal/allocate.h"
#include "allocator/rules/release_rules.h"
#include "allocator/selector_cache.h"
#include "api/core_v1/node.h"
#include "base/try.h"
#include "dray/allocator.h"
#include "dray/profile.h"
#include "dray/selector.h"
#include "tests/judges/problem_json.h"
#include "tests/vectors/allocator_judge.h"
#include "tests/vectors/allocator_v1alpha3.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using allocator::Features;
using judges::Problem;

constexpr int64_t kStepsMax = 50'000'000;  // upstream answered all within two seconds
constexpr size_t kSelectorsMax = 100;
constexpr int64_t kFastStepsMax = 1'000'000;
constexpr int64_t kReorderedStepsMax = 1'000'000;

/// A problem under the rules of one label, ready to be solved for its nodes.
class Cluster {
 public:
  Cluster(const Problem& problem, const Features& features)
      : problem_(problem),
        features_(features),
        inventory_(allocator::inventory::Inventory::Build(problem.slices, problem.classes)),
        selectors_(allocator::SelectorCacheFor(features, kSelectorsMax)),
        attempt_(allocator::Snapshot({.features = features, .selectors = selectors_},
                                     problem.slices,
                                     problem.classes,
                                     problem.allocated),
                 problem.claims) {}

  /// `pool_order` as in allocator::literal::LiteralInput.
  allocator::literal::LiteralAnswer Ask(const api::core_v1::Node& node,
                                        int64_t steps_max,
                                        std::span<const size_t> pool_order = {}) const {
    return allocator::literal::AllocateLiterally({.inventory = *inventory_,
                                                  .state = problem_.allocated,
                                                  .features = features_,
                                                  .selectors = *selectors_,
                                                  .pool_order = pool_order},
                                                 node,
                                                 problem_.claims,
                                                 {.steps_max = steps_max});
  }

  /// The answer of the search with pruning, which has to be the same.
  Result<allocator::Outcome> AskFast(const api::core_v1::Node& node) const {
    return attempt_.Allocate(node, {.steps_max = kFastStepsMax});
  }

  const api::core_v1::Node* FindNode(std::string_view name) const {
    const auto found = std::ranges::find_if(
        problem_.nodes, [&](const auto& node) { return node.metadata.name == name; });
    return found == problem_.nodes.end() ? nullptr : &*found;
  }
  /// Whether upstream tries pools in random order.
  bool is_random() const { return !allocator::rules::RulesOf(features_).orders_pools; }
  api::Release release() const { return features_.release; }

 private:
  const Problem& problem_;
  Features features_;
  Frozen<allocator::inventory::Inventory> inventory_;
  std::shared_ptr<allocator::SelectorCache> selectors_;
  allocator::Attempt attempt_;  // for all nodes
};

std::set<std::string> LabelsIn(const json::object& problem) {
  std::set<std::string> labels;
  for (const json::value& outcome : ListOf(problem, "outcomes")) {
    for (const json::value& answer : ListOf(outcome.as_object(), "answers")) {
      for (const json::value& label : ListOf(answer.as_object(), "profiles"))
        labels.emplace(label.as_string());
    }
  }
  return labels;
}

/// Runs problem after problem, label after label, and counts.
class Runner {
 public:
  explicit Runner(const AllocatorOptions& options) : options_(options) {}

  /// `file` is its name in messages. Errors: kBadRequest  no problem; kInternalError  a label that
  /// does not support the switches of the problem.
  Result<> Run(std::string_view file, const json::object& problem) {
    std::set<std::string> labels = LabelsIn(problem);
    const bool is_v1alpha3 = labels.contains("v0.31.8");  // then it has no other
    if (!options_.profile.empty()) {
      std::erase_if(labels, [&](const std::string& label) { return label != options_.profile; });
    }
    if (labels.empty()) ++report_.not_run["problems without an answer of " + options_.profile];
    DRAY_TRY(const Problem decoded,
             is_v1alpha3 ? DecodeV1alpha3Problem(problem) : judges::DecodeProblem(problem));
    for (const std::string& label : labels) {
      const Result<allocator::Profile> profile = allocator::ParseProfile(label);
      if (!profile) {
        ++report_.not_run["problems with answers of " + label + ", which is unknown"];
        continue;
      }
      DRAY_TRY(const Features features, allocator::Complete(*profile, decoded.features));
      DRAY_TRY_VOID(RunLabel(file, problem, Cluster(decoded, features), label));
    }
    return {};
  }

  Report Finish() && {
    for (const auto& [label, tally] : tallies_) {
      report_.passed += tally.passed;
      report_.summary.push_back(fmt::format("{}: {} of {} answers equal, {} step counters compared",
                                            label,
                                            tally.passed,
                                            tally.asked,
                                            tally.steps));
    }
    return std::move(report_);
  }

 private:
  struct Tally {
    size_t asked = 0;
    size_t passed = 0;
    size_t steps = 0;
  };

  Result<> RunLabel(std::string_view file,
                    const json::object& problem,
                    const Cluster& cluster,
                    const std::string& label) {
    for (const json::value& outcome : ListOf(problem, "outcomes")) {
      const std::string_view name = TextOf(outcome.as_object(), "node");
      const std::string where = fmt::format("{} {} {}", file, TextOf(problem, "id"), name);
      const api::core_v1::Node* const node = cluster.FindNode(name);
      if (node == nullptr) return Fail(StatusReason::kBadRequest, where + ": no such node");
      const std::string difference = Judge(cluster, *node, Expected(outcome.as_object()), label);
      if (!difference.empty())
        report_.failures.push_back(fmt::format("{} {}: {}", where, label, difference));
    }
    return {};
  }

  /// Empty when our answer is upstream's, or upstream gave none.
  std::string Judge(const Cluster& cluster,
                    const api::core_v1::Node& node,
                    const Expected& expected,
                    const std::string& label) {
    const json::object* const answer = expected.AnswerOf(label);
    if (answer == nullptr) return {};
    const allocator::literal::LiteralAnswer got =
        cluster.Ask(node, IsTimeout(*answer) ? options_.timeout_steps : kStepsMax);
    std::string difference = Difference(*answer, AnswerJson(got.outcome, cluster.release()));
    Tally& tally = tallies_[label];
    ++tally.asked;
    if (const std::optional<int64_t> steps = expected.StepsOf(label)) {
      const std::optional<bool> agrees =
          *steps == got.steps ? true : IsWithinReach(cluster, node, *steps, got.pools);
      if (agrees.has_value()) ++tally.steps;
      if (difference.empty() && !agrees.value_or(true))
        difference = fmt::format("expected {} steps, got {}", *steps, got.steps);
    }
    if (difference.empty() && cluster.release() == api::Release::kNewest)
      difference = JudgeFast(cluster, node, *answer);
    if (difference.empty()) ++tally.passed;
    return difference;
  }

  /// The search with pruning decides all problems, also those that upstream gave up.
  static std::string JudgeFast(const Cluster& cluster,
                               const api::core_v1::Node& node,
                               const json::object& answer) {
    const Result<allocator::Outcome> got = cluster.AskFast(node);
    std::string difference = Difference(answer, AnswerJson(got, cluster.release()));
    if (difference.empty() && got && std::holds_alternative<allocator::Undecided>(*got))
      difference = "undecided";
    return difference.empty() ? difference : "the search that proves: " + difference;
  }

  /// Whether upstream takes that many steps with the pools in some other order, because its answer
  /// was measured in the order of their names, but the steps in runs with random order. Returns
  /// nothing if there are too many orders to try.
  static std::optional<bool> IsWithinReach(const Cluster& cluster,
                                           const api::core_v1::Node& node,
                                           int64_t steps,
                                           size_t pools) {
    if (!cluster.is_random()) return false;
    std::vector<size_t> order(pools);
    for (size_t i = 0; i < pools; ++i) order[i] = i;
    for (int64_t spent = 0; std::ranges::next_permutation(order).found;) {
      const int64_t taken = cluster.Ask(node, steps + 1, order).steps;
      if (taken == steps) return true;
      spent += taken + 1;
      if (spent > kReorderedStepsMax) return std::nullopt;
    }
    return false;
  }

  const AllocatorOptions& options_;
  std::map<std::string, Tally> tallies_;  // by label
  Report report_;
};

}  // namespace

Result<Report> RunAllocatorVectors(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const AllocatorOptions& options) {
  Runner runner(options);
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, ReadVectors(disk, file));
    const std::string name = file.substr(file.rfind('/') + 1);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view(text).substr(at, end - at);
      at = end + 1;
      if (line.empty()) continue;
      try {
        DRAY_TRY_VOID(runner.Run(name, json::parse(line).as_object()));
      } catch (const std::exception& failure) {
        return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", file, failure.what()));
      }
    }
  }
  return std::move(runner).Finish();
}

}  // namespace dray::vectors
