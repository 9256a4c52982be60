// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/engines.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "allocator/internals.h"
#include "allocator/inventory/inventory.h"
#include "allocator/literal/allocate.h"
#include "allocator/selector_cache.h"
#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/resource_v1/allocation.h"
#include "dray/allocator.h"
#include "dray/profile.h"
#include "dray/selector.h"
#include "dray/snapshot.h"
#include "tests/judges/brute_force.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/shrink.h"

namespace dray::judges {
namespace {

bool IsUndecided(const Result<allocator::Outcome>& outcome) {
  return outcome.has_value() && std::holds_alternative<allocator::Undecided>(*outcome);
}

/// Two answers to a question that cannot both be right.
struct Clash {
  std::string first, second;
};

class Comparer {
 public:
  Comparer(const Engine& first, const Engine& second) : first_(first), second_(second) {}

  std::optional<Clash> Ask(const Problem& problem, const api::core_v1::Node& node) {
    const Result<allocator::Outcome> outcome = first_(problem, node);
    const Result<allocator::Outcome> other = second_(problem, node);
    was_undecided_ = IsUndecided(outcome);
    if (was_undecided_) {
      const std::string objection =
          JudgeOutcome(problem, node, other, {.sets_max = kSetsMax}).objection;
      if (objection.empty()) return std::nullopt;
      return Clash{Render(outcome), fmt::format("{}: {}", objection, Render(other))};
    }
    Clash clash{Render(outcome), Render(other)};
    if (clash.first == clash.second) return std::nullopt;
    return clash;
  }

  /// Whether the first engine gave up on the last question.
  bool was_undecided() const { return was_undecided_; }

  Problem Small(const Problem& problem) {
    return Shrink(problem, [this](const Problem& smaller) {
      return std::ranges::any_of(smaller.nodes, [&](const api::core_v1::Node& node) {
        return Ask(smaller, node).has_value();
      });
    });
  }

 private:
  static constexpr int64_t kSetsMax = 2'000;

  const Engine& first_;
  const Engine& second_;
  bool was_undecided_ = false;
};

}  // namespace

Result<allocator::Outcome> RunLiteral(const Problem& problem,
                                      const api::core_v1::Node& node,
                                      allocator::Budget budget) {
  constexpr size_t kSelectorsMax = 200;
  const Frozen<allocator::inventory::Inventory> inventory =
      allocator::inventory::Inventory::Build(problem.slices, problem.classes);
  const auto selectors = allocator::SelectorCacheFor(problem.features, kSelectorsMax);
  return allocator::literal::AllocateLiterally({.inventory = *inventory,
                                                .state = problem.allocated,
                                                .features = problem.features,
                                                .selectors = *selectors},
                                               node,
                                               problem.claims,
                                               budget)
      .outcome;
}

Result<allocator::Outcome> RunFast(const Problem& problem,
                                   const api::core_v1::Node& node,
                                   allocator::search::SearchOptions options,
                                   allocator::Budget budget) {
  const allocator::Snapshot snapshot(
      {.features = problem.features}, problem.slices, problem.classes, problem.allocated);
  return allocator::Internals::AttemptWith(snapshot, problem.claims, options)
      .Allocate(node, budget);
}

std::string Render(const Result<allocator::Outcome>& outcome) {
  return api::JsonText([&](api::JsonWriter& json) {
    if (!outcome) return json.Object({{"outcome", "error"}, {"error", outcome.error().message}});
    if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
      if (none->node_error.empty()) return json.Object({{"outcome", "none"}});
      return json.Object({{"outcome", "node-error"}, {"error", none->node_error}});
    }
    if (IsUndecided(outcome)) return json.Object({{"outcome", "undecided"}});
    json.Object([&] {
      json.Member("outcome", "allocated");
      json.Member("results").Array([&] {
        for (const auto& result : std::get<allocator::Allocation>(*outcome).results)
          api::EncodeJson(api::TypeOf<api::resource_v1::AllocationResult>(), &result, json);
      });
    });
  });
}

std::string Disagreement::ToString() const {
  return fmt::format(
      "seed {}, {}:\n  {}\n  {}\n  made small: {}", seed, node, first, second, problem);
}

Comparison Compare(const Engine& first_engine,
                   const Engine& second_engine,
                   uint64_t first_seed,
                   uint64_t count,
                   const ProblemOptions& options) {
  Comparison comparison;
  Comparer comparer(first_engine, second_engine);
  for (uint64_t seed = first_seed; seed - first_seed < count; ++seed) {
    const Problem problem = RandomProblem(seed, options);
    for (const api::core_v1::Node& node : problem.nodes) {
      const std::optional<Clash> clash = comparer.Ask(problem, node);
      ++comparison.compared;
      if (comparer.was_undecided()) ++comparison.undecided;
      if (!clash.has_value()) continue;
      comparison.smallest = {.seed = seed,
                             .node = node.metadata.name,
                             .first = clash->first,
                             .second = clash->second,
                             .problem = EncodeProblem(comparer.Small(problem))};
      return comparison;
    }
  }
  return comparison;
}

}  // namespace dray::judges
