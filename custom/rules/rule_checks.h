// SPDX-License-Identifier: Apache-2.0
// What may be wrong with the rules of a definition. After apiextensions-apiserver's
// pkg/apis/apiextensions/validation (validation.go, cel_validation.go).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "base/result.h"
#include "custom/rules/rule_compiler.h"

namespace dray::custom::rules {

/// The highest estimated cost of an expression, with how often it may run in one object, and of all
/// expressions of a schema together.
inline constexpr uint64_t kEstimatedCostMax = 10'000'000;
inline constexpr uint64_t kSchemaCostMax = 100'000'000;

/// Checks what can be said of the rules of `schema` itself, not of those below, without compiling
/// them: missing and blank texts, line breaks, reasons, field paths. `path` is that of the schema.
/// These count as errors of the schema: a schema that has any, here or below, is not compiled for.
void CheckRuleTexts(const api::apiextensions_v1::JSONSchemaProps& schema,
                    const api::validation::Path& path,
                    api::validation::FieldErrors& errors);

/// Expressions of the definition that is being replaced. They stay valid though a release takes
/// away what they use.
struct StoredExpressions {
  std::set<std::string, std::less<>> rules, messages;

  /// Adds those of `schema` and below.
  void Add(const api::apiextensions_v1::JSONSchemaProps& schema);
};

struct RuleCheckOptions {
  RuleLanguage language = {};
  const StoredExpressions* stored = nullptr;  // null: the definition is new
  /// The schema is stored as it is: expressions may cost more than kEstimatedCostMax each.
  bool is_unchanged = false;
  /// Errors of the schema that were found already, by their paths: rules of a schema with an error,
  /// here or below, are not compiled.
  std::span<const ErrorCause> schema_errors = {};
};

/// Compiles all rules of `root`, which is the schema of a version and otherwise valid, and adds
/// what is wrong: expressions that do not compile or have the wrong type, oldSelf where old
/// elements cannot be matched, optionalOldSelf without oldSelf, costs. Errors of what lies below
/// a schema come before its own, by name. Costs O(schema + length of all rules).
void CheckRules(const api::apiextensions_v1::JSONSchemaProps& root,
                const api::validation::Path& path,
                const RuleCheckOptions& options,
                api::validation::FieldErrors& errors);

}  // namespace dray::custom::rules
