// SPDX-License-Identifier: Apache-2.0
// Allocators as functions from a problem to an answer, and their comparison.
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

/// Runs the literal allocator with a new cache of selectors.
Result<allocator::Outcome> RunLiteral(const Problem& problem,
                                      const api::core_v1::Node& node,
                                      allocator::Budget budget = {});

/// Runs the search with proofs, on a snapshot made for the problem alone.
Result<allocator::Outcome> RunFast(const Problem& problem,
                                   const api::core_v1::Node& node,
                                   allocator::search::SearchOptions options = {},
                                   allocator::Budget budget = {});

/// An answer as one line of JSON, in the format of the vectors, with unchanged share ids.
std::string Render(const Result<allocator::Outcome>& outcome);

/// Two answers to one question. They agree if Render is the same for both: every byte of the
/// results, every word of an error. If the first engine gave up (Undecided), the second must obey
/// the rules (JudgeOutcome).
struct Disagreement {
  uint64_t seed;
  std::string node;
  std::string first, second;  // from Render, or a judge's objection
  std::string problem;        // a line of JSON, shrunk: they disagree on it too

  std::string ToString() const;
};

struct Comparison {
  uint64_t compared = 0;                      // questions, one for each node of a problem
  uint64_t undecided = 0;                     // those that the first engine gave up on
  std::optional<Disagreement> smallest = {};  // of the lowest seed
};

/// Runs both engines on the problems of the seeds first … first+count−1, up to the first
/// disagreement. Deterministic if the engines are.
Comparison Compare(const Engine& first_engine,
                   const Engine& second_engine,
                   uint64_t first_seed,
                   uint64_t count,
                   const ProblemOptions& options = {});

}  // namespace dray::judges
