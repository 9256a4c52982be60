// SPDX-License-Identifier: Apache-2.0
// Allocators as functions from a problem to an answer, and how two of them are compared.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "allocator/search/options.h"
#include "api/core_v1/node.h"
#include "base/result.h"
#include "dray/budget.h"
#include "dray/outcome.h"
#include "tests/judges/problem.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {

using Engine = std::function<Result<allocator::Outcome>(const Problem& problem,
                                                        const api::core_v1::Node& node)>;

/// The literal allocator with a new cache of selectors.
Result<allocator::Outcome> RunLiteral(const Problem& problem,
                                      const api::core_v1::Node& node,
                                      allocator::Budget budget = {});

/// The search that proves, on a snapshot made for the problem alone.
Result<allocator::Outcome> RunFast(const Problem& problem,
                                   const api::core_v1::Node& node,
                                   allocator::search::SearchOptions options = {},
                                   allocator::Budget budget = {});

/// An answer as one line of JSON, in the form of the vectors; share ids as they are.
std::string Render(const Result<allocator::Outcome>& outcome);

/// Two answers to one question. They are the same when Render says the same: every byte of the
/// results, every word of an error. Where the first engine gave up (Undecided), the second must
/// obey the rules (JudgeOutcome).
struct Disagreement {
  uint64_t seed;
  std::string node;
  std::string first, second;  // as Render has them, or what a judge objects to
  std::string problem;        // a line of JSON, made small: they disagree on it too

  std::string ToString() const;
};

struct Comparison {
  uint64_t compared = 0;                      // questions, one for each node of a problem
  uint64_t undecided = 0;                     // of them, by the first engine
  std::optional<Disagreement> smallest = {};  // of the lowest seed
};

/// Asks both engines about the problems of the seeds first … first+count−1, up to the first one
/// they disagree on. Deterministic if the engines are.
Comparison Compare(const Engine& first_engine,
                   const Engine& second_engine,
                   uint64_t first_seed,
                   uint64_t count,
                   const ProblemOptions& options = {});

}  // namespace dray::judges
