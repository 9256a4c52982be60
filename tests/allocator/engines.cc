// SPDX-License-Identifier: Apache-2.0
#include "tests/allocator/engines.h"

#include <memory>
#include <variant>

#include <fmt/format.h>

#include "allocator/inventory.h"
#include "allocator/literal/allocate.h"
#include "allocator/profile.h"
#include "api/json.h"
#include "api/resource_v1.h"
#include "tests/allocator/problem_json.h"
#include "tests/allocator/shrink.h"

namespace dray::judges {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted;
  api::QuoteJson(text, quoted);
  return quoted;
}

bool IsUndecided(const Result<allocator::Outcome>& outcome) {
  return outcome.has_value() && std::holds_alternative<allocator::Undecided>(*outcome);
}

/// Whether the engines disagree on some node.
bool Disagree(const Engine& first, const Engine& second, const Problem& problem) {
  for (const api::core_v1::Node& node : problem.nodes) {
    const Result<allocator::Outcome> outcome = first(problem, node);
    if (!IsUndecided(outcome) && Render(outcome) != Render(second(problem, node))) return true;
  }
  return false;
}

}  // namespace

Result<allocator::Outcome> RunLiteral(const Problem& problem,
                                      const api::core_v1::Node& node,
                                      allocator::Budget budget) {
  constexpr size_t kSelectorsMax = 200;
  const Frozen<allocator::Inventory> inventory =
      allocator::Inventory::Build(problem.slices, problem.classes);
  const auto selectors = allocator::SelectorCacheFor(problem.features, kSelectorsMax);
  return allocator::AllocateLiterally({.inventory = *inventory,
                                       .state = problem.allocated,
                                       .features = problem.features,
                                       .selectors = *selectors},
                                      node,
                                      problem.claims,
                                      budget)
      .outcome;
}

std::string Render(const Result<allocator::Outcome>& outcome) {
  if (!outcome)
    return fmt::format(R"({{"outcome":"error","error":{}}})", Quoted(outcome.error().message));
  if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
    if (none->node_error.empty()) return R"({"outcome":"none"})";
    return fmt::format(R"({{"outcome":"node-error","error":{}}})", Quoted(none->node_error));
  }
  if (IsUndecided(outcome)) return R"({"outcome":"undecided"})";
  std::string results;
  for (const auto& result : std::get<allocator::Allocation>(*outcome).results) {
    if (!results.empty()) results += ',';
    api::EncodeJson(api::TypeOf<api::resource_v1::AllocationResult>(), &result, results);
  }
  return fmt::format(R"({{"outcome":"allocated","results":[{}]}})", results);
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
  for (uint64_t seed = first_seed; seed - first_seed < count; ++seed) {
    const Problem problem = RandomProblem(seed, options);
    for (const api::core_v1::Node& node : problem.nodes) {
      ++comparison.compared;
      const Result<allocator::Outcome> outcome = first_engine(problem, node);
      if (IsUndecided(outcome)) {
        ++comparison.undecided;
        continue;
      }
      const std::string first = Render(outcome);
      const std::string second = Render(second_engine(problem, node));
      if (first == second) continue;
      const Problem small = Shrink(problem, [&](const Problem& smaller) {
        return Disagree(first_engine, second_engine, smaller);
      });
      comparison.smallest =
          Disagreement{seed, node.metadata.name, first, second, EncodeProblem(small)};
      return comparison;
    }
  }
  return comparison;
}

}  // namespace dray::judges
