// SPDX-License-Identifier: Apache-2.0
// Judges of the allocator that know its rules and nothing of its search: whether an allocation
// obeys every rule, and, by exhaustive search, whether one exists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "base/result.h"
#include "dray/outcome.h"
#include "tests/judges/question.h"
#include "tests/judges/rules_between.h"

namespace dray::judges {

/// The rule that the allocation breaks, or empty: each result belongs to a request, in order;
/// counts, or all devices; devices in use; selectors, nodes, taints; counters, groups, capacity;
/// constraints; and the fields of each result.
std::string Check(const Question& question, const allocator::Allocation& allocation);

struct BruteForceLimits {
  /// The most sets of devices that it tries.
  int64_t sets_max = 20'000;
};

struct Existence {
  enum class Verdict : uint8_t { kFeasible, kInfeasible, kUnknown };
  Verdict verdict;
  std::string reason = {};           // if kUnknown
  std::vector<Taken> smallest = {};  // if kFeasible: the first in the order of decisions
};

/// Tries every alternative and every subset of devices for each request, in the order of decisions.
/// The result is unknown if some selector, amount or derived attribute fails, because an allocator
/// may or may not end with that error, and if there are too many sets to try.
Existence Exists(const Question& question, BruteForceLimits limits = {});

/// A judge's verdict on an outcome.
struct Judgement {
  std::string objection = {};  // empty: none
  std::string unknown = {};    // why it is unknown whether an answer exists; or empty
};

/// Checks all of it: unavoidable errors, soundness, existence, and that the answer is the first in
/// the order of decisions.
Judgement JudgeOutcome(const Problem& problem,
                       const api::core_v1::Node& node,
                       const Result<allocator::Outcome>& outcome,
                       BruteForceLimits limits = {});

}  // namespace dray::judges
