// SPDX-License-Identifier: Apache-2.0
#include "server/policies/match_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/text/names.h"
#include "api/validation/name_rules.h"
#include "api/validation/value_rules.h"
#include "base/text/ascii.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
namespace validation = api::validation;
using api::meta_v1::LabelSelector;
using validation::FieldErrors;
using validation::Path;
using validation::Shown;

constexpr std::array<std::string_view, 5> kOperations = {
    "*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
constexpr std::array<std::string_view, 3> kScopes = {"*", "Cluster", "Namespaced"};

using Texts = api::List<std::string>;

bool HasStar(const Texts& items) {
  return std::ranges::find(items, "*") != items.end();
}

/// The list must not be empty, and "*" must be its only element.
void CheckStars(const Texts& items, std::string_view what, const Path& path, FieldErrors& errors) {
  if (items.empty()) errors.Required(path);
  if (items.size() > 1 && HasStar(items)) {
    errors.Invalid(
        path, ShownTexts(items), fmt::format("if '*' is present, must not specify other {}", what));
  }
}

/// Resources and their parts, none of which another one stands for already.
void CheckResources(const Texts& resources, const Path& path, FieldErrors& errors) {
  if (resources.empty()) errors.Required(path);
  std::set<std::string_view> with_all_parts;
  std::set<std::string_view> parts_of_all;
  bool has_all = false;
  bool has_every_resource = false;
  bool has_plain = false;
  for (size_t i = 0; i < resources.size() && !errors.is_full(); ++i) {
    const std::string_view one = resources[i];
    if (one.empty()) {
      errors.Required(path.Index(i));
      continue;
    }
    has_all = has_all || one == "*/*";
    has_every_resource = has_every_resource || one == "*";
    const size_t slash = one.find('/');
    if (slash == std::string_view::npos) {
      has_plain = one != "*";  // upstream remembers the last one only
      continue;
    }
    const std::string_view resource = one.substr(0, slash);
    const std::string_view part = one.substr(slash + 1);
    const auto refuse = [&](std::string_view present) {
      errors.Invalid(path.Index(i),
                     Shown(one),
                     fmt::format("if '{}' is present, must not specify {}", present, one));
    };
    if (with_all_parts.contains(resource)) refuse(fmt::format("{}/*", resource));
    if (parts_of_all.contains(part)) refuse(fmt::format("*/{}", part));
    if (part == "*") with_all_parts.insert(resource);
    if (resource == "*") parts_of_all.insert(part);
  }
  if (resources.size() > 1 && has_all) {
    errors.Invalid(
        path, ShownTexts(resources), "if '*/*' is present, must not specify other resources");
  }
  if (has_every_resource && has_plain) {
    errors.Invalid(path,
                   ShownTexts(resources),
                   "if '*' is present, must not specify other resources without subresources");
  }
}

void CheckNamedRule(const v1::NamedRuleWithOperations& named,
                    const Path& path,
                    FieldErrors& errors) {
  const Path names = path.Child("resourceNames");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < named.resource_names.size() && !errors.is_full(); ++i) {
    const std::string& name = named.resource_names[i];
    const Path at = names.Index(i);
    errors.Names(at, name, api::CheckPathSegmentName(name));
    if (!seen.insert(name).second) errors.Duplicate(at, Shown(name));
  }
  CheckRule(named.rule_with_operations, path, errors);
}

void CheckNamedRules(const api::List<v1::NamedRuleWithOperations>& rules,
                     const Path& path,
                     FieldErrors& errors) {
  for (size_t i = 0; i < rules.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    CheckNamedRule(rules[i], at, errors);
  }
}

void CheckCondition(const v1::MatchCondition& condition,
                    const KnownExpressions& known,
                    const Declared& declared,
                    const Compiler& compiler,
                    At at) {
  const Path of_expression = at.path.Child("expression");
  const std::string_view expression = TrimSpace(condition.expression);
  if (expression.empty()) {
    at.errors.Required(of_expression);
  } else {
    ReportProblem(
        compiler.Compile(expression, declared, ResultKind::kBool, UseOf(known, expression)),
        expression,
        {of_expression, at.errors});
  }
  const Path name = at.path.Child("name");
  if (condition.name.empty()) return at.errors.Required(name);
  validation::CheckKeyShaped(condition.name, name, at.errors);
}

}  // namespace

std::string ShownTexts(const Texts& texts) {
  return Shown(api::TypeOf<Texts>(), &texts);
}

bool IsOneOf(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

void CheckWord(const std::optional<std::string>& value,
               std::span<const std::string_view> words,
               const Path& path,
               FieldErrors& errors) {
  if (!value.has_value()) return errors.Required(path);
  if (!IsOneOf(words, *value)) errors.NotSupported(path, *value, words);
}

void CheckRule(const v1::RuleWithOperations& with, const Path& path, FieldErrors& errors) {
  const Texts& operations = with.operations;
  const Path of_operations = path.Child("operations");
  CheckStars(operations, "operations", of_operations, errors);
  for (size_t i = 0; i < operations.size() && !errors.is_full(); ++i) {
    if (!IsOneOf(kOperations, operations[i])) {
      errors.NotSupported(of_operations.Index(i), operations[i], kOperations);
    }
  }
  const v1::Rule& rule = with.rule;
  const Path versions = path.Child("apiVersions");
  CheckStars(rule.api_groups, "API groups", path.Child("apiGroups"), errors);
  CheckStars(rule.api_versions, "API versions", versions, errors);
  for (size_t i = 0; i < rule.api_versions.size() && !errors.is_full(); ++i) {
    if (rule.api_versions[i].empty()) errors.Required(versions.Index(i));
  }
  CheckResources(rule.resources, path.Child("resources"), errors);
  if (rule.scope.has_value() && !IsOneOf(kScopes, *rule.scope)) {
    errors.NotSupported(path.Child("scope"), *rule.scope, kScopes);
  }
}

void CheckMatchResources(const v1::MatchResources& match, const Path& path, FieldErrors& errors) {
  CheckWord(match.match_policy, kMatchPolicies, path.Child("matchPolicy"), errors);
  const auto check_selector = [&](const api::Maybe<LabelSelector>& selector, const Path& at) {
    if (!selector.has_value()) return errors.Required(at);
    validation::CheckLabelSelector(selector, at, errors);
  };
  check_selector(match.namespace_selector, path.Child("namespaceSelector"));
  check_selector(match.object_selector, path.Child("objectSelector"));
  CheckNamedRules(match.resource_rules, path.Child("resourceRules"), errors);
  CheckNamedRules(match.exclude_resource_rules, path.Child("excludeResourceRules"), errors);
}

cel::ExpressionUse UseOf(const KnownExpressions& known, std::string_view expression) {
  return known.contains(expression) ? cel::ExpressionUse::kStored : cel::ExpressionUse::kNew;
}

void ReportProblem(const Compiled& compiled, std::string_view shown, At at) {
  if (compiled.has_value()) return;
  const ExpressionProblem& problem = compiled.error();
  if (problem.is_internal) return at.errors.Internal(at.path, problem.message);
  at.errors.Invalid(at.path, Shown(shown), problem.message);
}

void CheckMatchConditions(std::span<const v1::MatchCondition> conditions,
                          const KnownExpressions& known,
                          const Declared& declared,
                          const Compiler& compiler,
                          At at) {
  if (conditions.size() > kMatchConditionsMax) {
    at.errors.TooMany(at.path, conditions.size(), kMatchConditionsMax);
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < conditions.size() && !at.errors.is_full(); ++i) {
    const Path one = at.path.Index(i);
    const Path name = one.Child("name");
    CheckCondition(conditions[i], known, declared, compiler, {one, at.errors});
    if (conditions[i].name.empty()) continue;
    if (!names.insert(conditions[i].name).second) {
      at.errors.Duplicate(name, Shown(conditions[i].name));
    }
  }
}

}  // namespace dray::server::policies
