// SPDX-License-Identifier: Apache-2.0
// Rules that policies and webhooks share: which requests they are about, and under which
// conditions. After pkg/apis/admissionregistration/validation.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "api/admissionregistration_v1/policy.h"
#include "api/admissionregistration_v1/webhook.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "cel/language/environment.h"
#include "server/policies/expressions.h"

namespace dray::server::policies {

inline constexpr size_t kMatchConditionsMax = 64;

inline constexpr std::array<std::string_view, 2> kFailurePolicies = {"Fail", "Ignore"};
inline constexpr std::array<std::string_view, 2> kMatchPolicies = {"Equivalent", "Exact"};

/// Where something is wrong, and where that is noted.
struct At {
  const api::validation::Path& path;
  api::validation::FieldErrors& errors;
};

std::string ShownTexts(const api::List<std::string>& texts);
bool IsOneOf(std::span<const std::string_view> words, std::string_view word);
/// One of `words`, and there.
void CheckWord(const std::optional<std::string>& value,
               std::span<const std::string_view> words,
               const api::validation::Path& path,
               api::validation::FieldErrors& errors);

/// Operations, groups, versions, resources and scope: there, and without what another one covers.
void CheckRule(const api::admissionregistration_v1::RuleWithOperations& rule,
               const api::validation::Path& path,
               api::validation::FieldErrors& errors);

void CheckMatchResources(const api::admissionregistration_v1::MatchResources& match,
                         const api::validation::Path& path,
                         api::validation::FieldErrors& errors);

/// Expressions that an object had before: they are judged in the language of what is stored.
using KnownExpressions = std::set<std::string_view, std::less<>>;
cel::ExpressionUse UseOf(const KnownExpressions& known, std::string_view expression);

/// Why an expression, shown as `shown`, does not compile.
void ReportProblem(const Compiled& compiled, std::string_view shown, At at);

/// At most kMatchConditionsMax, with names of their own, that compile to bool.
void CheckMatchConditions(std::span<const api::admissionregistration_v1::MatchCondition> conditions,
                          const KnownExpressions& known,
                          const Declared& declared,
                          const Compiler& compiler,
                          At at);

}  // namespace dray::server::policies
