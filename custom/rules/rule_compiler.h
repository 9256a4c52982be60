// SPDX-License-Identifier: Apache-2.0
// From one x-kubernetes-validations rule to programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"
#include "api/release.h"
#include "base/frozen.h"
#include "cel/eval/program.h"
#include "cel/language/environment.h"
#include "custom/rules/scope_types.h"

namespace dray::custom::rules {

/// The release whose language rules have.
struct RuleLanguage {
  api::Release release = api::Release::kNewest;
  /// The time zones that rules may name; null: UTC and offsets only. Not owned: outlives what is
  /// compiled.
  const cel::TimeZones* time_zones = nullptr;

  cel::Environment For(cel::ExpressionUse use) const;
};

/// What may be written in the two expressions of a rule: those that are stored already keep what a
/// release takes away.
struct RuleUses {
  cel::ExpressionUse rule = cel::ExpressionUse::kStored;
  cel::ExpressionUse message = cel::ExpressionUse::kStored;
};

/// A compiled rule, or why it is none. With a problem there is no program.
struct CompiledRule {
  Frozen<cel::eval::Program> program;  // null, too, where the rule is blank
  Frozen<cel::eval::Program> message;  // null: no messageExpression
  /// In upstream's words: "compilation failed: ERROR: <input>:1:…", "cel expression must evaluate
  /// to a bool", "messageExpression must evaluate to a string", …
  std::string problem, message_problem;
  /// The rule mentions oldSelf.
  bool uses_old_self = false;
};

/// Costs O(length of both expressions). With a problem of the rule, its messageExpression is not
/// compiled.
CompiledRule CompileRule(const api::apiextensions_v1::ValidationRule& rule,
                         const RuleLanguage& language,
                         RuleUses uses,
                         ScopeTypes& types);

/// The estimate of upstream, of which admission looks at the maximum: UINT64_MAX where a size is
/// not known.
uint64_t EstimatedCostMax(const cel::eval::Program& program, const ScopeTypes& types);

}  // namespace dray::custom::rules
