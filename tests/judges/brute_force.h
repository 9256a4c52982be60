// SPDX-License-Identifier: Apache-2.0
// Judges of the allocator that know its rules and nothing of its search: whether an allocation
// obeys every rule, and whether there is one at all, by trying everything.
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

/// Which rule the allocation breaks, or empty: each result belongs to a request, in order; counts,
/// or all devices; devices in use; selectors, nodes, taints; counters, groups, capacity;
/// constraints; and what each result says of its device.
std::string Check(const Question& question, const allocator::Allocation& allocation);

struct BruteForceLimits {
  /// How many sets of devices are looked at before it gives up.
  int64_t sets_max = 20'000;
};

struct Existence {
  enum class Verdict : uint8_t { kFeasible, kInfeasible, kUnknown };
  Verdict verdict;
  std::string reason = {};           // of kUnknown
  std::vector<Taken> smallest = {};  // of kFeasible: the first in the order of decisions
};

/// Tries every alternative and every subset of devices for each request, in the order of
/// decisions. Unknown when some selector, amount or derived attribute fails, as an allocator may
/// end with an error then, or not, and when there is too much to try.
Existence Exists(const Question& question, BruteForceLimits limits = {});

/// What a judge has to say of an outcome.
struct Judgement {
  std::string objection = {};  // empty: none
  std::string unknown = {};    // why nothing is known of whether there is an answer; or empty
};

/// All of it: errors that cannot be avoided, soundness, existence, and that the answer is the first
/// in the order of decisions.
Judgement JudgeOutcome(const Problem& problem,
                       const api::core_v1::Node& node,
                       const Result<allocator::Outcome>& outcome,
                       BruteForceLimits limits = {});

}  // namespace dray::judges
