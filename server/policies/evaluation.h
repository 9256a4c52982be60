// SPDX-License-Identifier: Apache-2.0
// Evaluates the expressions of one policy for one request and one parameter: each rule's decision.
// Pure. After apiserver's validating/validator.go.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "cel/value/arena.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/expressions.h"

namespace dray::server::policies {

/// Cost limit of all rules of a policy together, and of all its conditions (apiserver's
/// RuntimeCELCostBudget and RuntimeCELCostBudgetMatchConditions).
inline constexpr int64_t kBudgetMax = 10'000'000;
inline constexpr int64_t kConditionsBudgetMax = 2'500'000;
/// Limit of all policies together for one request, in units of Work. Beyond it their expressions
/// fail, as they do beyond their cost limits.
inline constexpr uint64_t kRequestWorkMax = 2 * cel::kWorkMax;
/// Limit of the bytes of a message from an expression; a longer one is not shown.
inline constexpr size_t kMessageBytesMax = 5UL * 1024;

/// A rule's decision to refuse.
struct Denial {
  size_t rule = 0;
  StatusReason reason = StatusReason::kInvalid;
  std::string message;
  double seconds = 0;  // that the rule took; 0 without a clock
};

struct PublishedAnnotation {
  std::string key, value;
};

struct PolicyResult {
  std::vector<Denial> denials;
  /// Failures that the policy's failurePolicy ignores.
  std::vector<Denial> ignored;
  /// Errors in annotations. They refuse the request, whatever the binding's actions are.
  std::vector<std::string> annotation_errors;
  std::vector<PublishedAnnotation> annotations;
  int64_t cost = 0;  // of all expressions that were evaluated
};

/// The conditions under which a policy or a webhook is asked at all.
struct Conditions {
  std::span<const CompiledExpression> expressions;
  std::span<const CompiledVariable> variables = {};
  bool ignores_failures = false;
};

/// Whether all conditions are true. One that is false decides, whatever else fails; else a failure
/// counts as false where failures are ignored, and is the error where not. What it cost is added.
std::expected<bool, std::string> ConditionsHold(const Conditions& conditions,
                                                Variables values,
                                                cel::Arena& arena,
                                                int64_t& cost);

/// The result of one mutation, in `arena`; or why there is none, in upstream's words. It has a
/// budget of its own (kBudgetMax). The values must outlive the arena.
std::expected<cel::Value, std::string> EvaluateMutation(const CompiledMutation& mutation,
                                                        std::span<const CompiledVariable> variables,
                                                        const Variables& values,
                                                        cel::Arena& arena);

/// The values must outlive the evaluation, which fills in `variables` (the named expressions).
/// Charges its work to arena.work(). With `clock` not null, the rules are timed.
PolicyResult Evaluate(const CompiledPolicy& policy,
                      const Variables& values,
                      cel::Arena& arena,
                      const Clock* clock = nullptr);

}  // namespace dray::server::policies
