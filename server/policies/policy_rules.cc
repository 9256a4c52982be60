// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/text/names.h"
#include "api/validation/field_error.h"
#include "api/validation/value_rules.h"
#include "base/ascii.h"
#include "server/policies/expressions.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
namespace validation = api::validation;
using api::meta_v1::LabelSelector;
using Policy = v1::ValidatingAdmissionPolicy;
using Binding = v1::ValidatingAdmissionPolicyBinding;
using validation::FieldErrors;
using validation::Path;
using validation::Shown;

constexpr std::array<std::string_view, 2> kFailurePolicies = {"Fail", "Ignore"};
constexpr std::array<std::string_view, 2> kMatchPolicies = {"Equivalent", "Exact"};
constexpr std::array<std::string_view, 5> kOperations = {
    "*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
constexpr std::array<std::string_view, 3> kScopes = {"*", "Cluster", "Namespaced"};
constexpr std::array<std::string_view, 3> kReasons = {
    "Forbidden", "Invalid", "RequestEntityTooLarge"};
constexpr std::array<std::string_view, 3> kActions = {"Audit", "Deny", "Warn"};
constexpr std::array<std::string_view, 2> kNotFoundActions = {"Deny", "Allow"};

using Texts = api::List<std::string>;

std::string ShownTexts(const Texts& texts) {
  return Shown(api::TypeOf<Texts>(), &texts);
}

bool Has(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The value must be present and one of `words`.
void CheckWord(const std::optional<std::string>& value,
               std::span<const std::string_view> words,
               const Path& path,
               FieldErrors& errors) {
  if (!value.has_value()) return errors.Required(path);
  if (!Has(words, *value)) errors.NotSupported(path, *value, words);
}

// -------------------------------------------------------------------------------- which requests

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
  const Texts& operations = named.rule_with_operations.operations;
  const Path of_operations = path.Child("operations");
  CheckStars(operations, "operations", of_operations, errors);
  for (size_t i = 0; i < operations.size() && !errors.is_full(); ++i) {
    if (!Has(kOperations, operations[i])) {
      errors.NotSupported(of_operations.Index(i), operations[i], kOperations);
    }
  }
  const v1::Rule& rule = named.rule_with_operations.rule;
  const Path versions = path.Child("apiVersions");
  CheckStars(rule.api_groups, "API groups", path.Child("apiGroups"), errors);
  CheckStars(rule.api_versions, "API versions", versions, errors);
  for (size_t i = 0; i < rule.api_versions.size() && !errors.is_full(); ++i) {
    if (rule.api_versions[i].empty()) errors.Required(versions.Index(i));
  }
  CheckResources(rule.resources, path.Child("resources"), errors);
  if (rule.scope.has_value() && !Has(kScopes, *rule.scope)) {
    errors.NotSupported(path.Child("scope"), *rule.scope, kScopes);
  }
}

void CheckNamedRules(const api::List<v1::NamedRuleWithOperations>& rules,
                     const Path& path,
                     FieldErrors& errors) {
  for (size_t i = 0; i < rules.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    CheckNamedRule(rules[i], at, errors);
  }
}

void CheckMatchResources(const v1::MatchResources& match, const Path& path, FieldErrors& errors) {
  CheckWord(match.match_policy, kMatchPolicies, path.Child("matchPolicy"), errors);
  const auto check_selector = [&](const std::optional<LabelSelector>& selector, const Path& at) {
    if (!selector.has_value()) return errors.Required(at);
    validation::CheckLabelSelector(selector, at, errors);
  };
  check_selector(match.namespace_selector, path.Child("namespaceSelector"));
  check_selector(match.object_selector, path.Child("objectSelector"));
  CheckNamedRules(match.resource_rules, path.Child("resourceRules"), errors);
  CheckNamedRules(match.exclude_resource_rules, path.Child("excludeResourceRules"), errors);
}

// ------------------------------------------------------------------------------------------ params

std::string Joined(const api::NameErrors& problems) {
  return fmt::format("{}", fmt::join(problems, ","));
}

void CheckGroupVersion(const std::string& text, const Path& path, FieldErrors& errors) {
  if (text.empty()) return errors.Required(path);
  if (std::ranges::count(text, '/') > 1) {
    return errors.Invalid(path, Shown(text), "unexpected GroupVersion string: " + text);
  }
  const size_t slash = text.find('/');
  const std::string group = slash == std::string::npos ? "" : text.substr(0, slash);
  const std::string version = slash == std::string::npos ? text : text.substr(slash + 1);
  if (!group.empty()) {
    const auto problems = api::CheckDnsSubdomain(group);
    if (!problems.empty()) errors.Invalid(path, Shown(group), Joined(problems));
  }
  if (version.empty()) return errors.Invalid(path, Shown(text), "version must be specified");
  const auto problems = api::CheckDns1035Label(version);
  if (!problems.empty()) errors.Invalid(path, Shown(version), Joined(problems));
}

void CheckParamKind(const v1::ParamKind& param, const Path& path, FieldErrors& errors) {
  CheckGroupVersion(param.api_version, path.Child("apiVersion"), errors);
  const Path kind = path.Child("kind");
  if (param.kind.empty()) return errors.Required(kind);
  const auto problems = api::CheckDns1035Label(LowerAscii(param.kind));
  if (problems.empty()) return;
  errors.Invalid(kind,
                 Shown(param.kind),
                 "may have mixed case, but should otherwise match: " + Joined(problems));
}

void CheckParamRef(const v1::ParamRef& ref, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kOneOnly = "name and selector are mutually exclusive";
  const Path name = path.Child("name");
  const Path selector = path.Child("selector");
  if (!ref.name.empty()) {
    errors.Names(name, ref.name, api::CheckPathSegmentName(ref.name));
    if (ref.selector.has_value()) errors.Forbidden(name, kOneOnly);
  }
  if (ref.selector.has_value()) {
    validation::CheckLabelSelector(ref.selector, selector, errors);
    if (!ref.name.empty()) errors.Forbidden(selector, kOneOnly);
  }
  if (ref.name.empty() && !ref.selector.has_value()) {
    errors.Required(path, "one of name or selector must be specified");
  }
  const auto& action = ref.parameter_not_found_action;
  const bool is_there = action.has_value() && !action->empty();
  CheckWord(is_there ? action : std::nullopt,
            kNotFoundActions,
            path.Child("parameterNotFoundAction"),
            errors);
}

// ------------------------------------------------------------------------------------- expressions

bool IsCelName(std::string_view name) {
  constexpr auto kReserved = std::to_array<std::string_view>(
      {"true",     "false",   "null",      "in",       "as",  "break",  "const",
       "continue", "else",    "for",       "function", "if",  "import", "let",
       "loop",     "package", "namespace", "return",   "var", "void",   "while"});
  return api::CheckCIdentifier(name).empty() && !Has(kReserved, name);
}

/// The expressions of the old policy, which are checked by the rules for stored ones.
class Before {
 public:
  explicit Before(const Policy* old) {
    if (old == nullptr) return;
    for (const auto& one : old->spec.match_conditions) conditions.insert(one.expression);
    for (const auto& one : old->spec.validations) {
      validations.insert(one.expression);
      messages.insert(one.message_expression);
    }
    for (const auto& one : old->spec.audit_annotations) values.insert(one.value_expression);
  }

  using Set = std::set<std::string_view, std::less<>>;
  static cel::ExpressionUse Use(const Set& known, std::string_view expression) {
    return known.contains(expression) ? cel::ExpressionUse::kStored : cel::ExpressionUse::kNew;
  }

  Set conditions, validations, messages, values;
};

/// The rules of the expressions of one policy, in upstream's order.
class ExpressionRules {
 public:
  ExpressionRules(const Policy& policy,
                  const Policy* old,
                  api::Release release,
                  FieldErrors& errors)
      : policy_(policy),
        before_(old),
        has_params_(policy.spec.param_kind.has_value()),
        has_variables_(!policy.spec.variables.empty()),
        compiler_(release),
        errors_(errors) {}

  void CheckConditions(const Path& path) {
    const auto& conditions = policy_.spec.match_conditions;
    if (conditions.size() > kMatchConditionsMax) {
      errors_.TooMany(path, conditions.size(), kMatchConditionsMax);
    }
    std::set<std::string_view> names;
    for (size_t i = 0; i < conditions.size() && !errors_.is_full(); ++i) {
      const Path at = path.Index(i);
      const Path name = at.Child("name");
      CheckCondition(conditions[i], at);
      if (conditions[i].name.empty()) continue;
      if (!names.insert(conditions[i].name).second) {
        errors_.Duplicate(name, Shown(conditions[i].name));
      }
    }
  }

  void CheckVariables(const Path& path) {
    const auto& variables = policy_.spec.variables;
    for (size_t i = 0; i < variables.size() && !errors_.is_full(); ++i) {
      const Path at = path.Index(i);
      const v1::Variable& variable = variables[i];
      const Path name = at.Child("name");
      const Path expression = at.Child("expression");
      if (TrimSpace(variable.name).empty()) {
        errors_.Required(name, "name is not specified");
      } else if (!IsCelName(variable.name)) {
        errors_.Invalid(name, Shown(variable.name), "must be a valid CEL identifier");
      }
      if (TrimSpace(variable.expression).empty()) {
        errors_.Required(expression, "expression is not specified");
        continue;
      }
      const Compiled compiled =
          compiler_.Compile(variable.expression,
                            All(),
                            ResultKind::kAnything,
                            Before::Use(before_.validations, variable.expression));
      compiler_.Name(variable.name, compiled);
      Report(compiled, variable.expression, expression);
    }
  }

  void CheckValidations(const Path& path) {
    const auto& validations = policy_.spec.validations;
    for (size_t i = 0; i < validations.size() && !errors_.is_full(); ++i) {
      const Path at = path.Index(i);
      CheckValidation(validations[i], at);
    }
  }

  void CheckAnnotations(const Path& path) {
    const auto& annotations = policy_.spec.audit_annotations;
    if (annotations.size() > kAuditAnnotationsMax) {
      errors_.Invalid(
          path,
          Shown(api::TypeOf<api::List<v1::AuditAnnotation>>(), &annotations),
          fmt::format("must not have more than {} auditAnnotations", kAuditAnnotationsMax));
    }
    std::set<std::string_view> keys;
    for (size_t i = 0; i < annotations.size() && !errors_.is_full(); ++i) {
      const Path at = path.Index(i);
      const Path key = at.Child("key");
      CheckAnnotation(annotations[i], at);
      if (!keys.insert(annotations[i].key).second)
        errors_.Duplicate(key, Shown(annotations[i].key));
    }
  }

 private:
  Declared All() const {
    return {.params = has_params_, .authorizer = true, .variables = has_variables_};
  }

  void Report(const Compiled& compiled, std::string_view shown, const Path& path) {
    if (compiled.has_value()) return;
    const ExpressionProblem& problem = compiled.error();
    if (problem.is_internal) return errors_.Internal(path, problem.message);
    errors_.Invalid(path, Shown(shown), problem.message);
  }

  void CheckCondition(const v1::MatchCondition& condition, const Path& path) {
    const Path at = path.Child("expression");
    const std::string_view expression = TrimSpace(condition.expression);
    if (expression.empty()) {
      errors_.Required(at);
    } else {
      const Declared declared = {.params = has_params_, .authorizer = true};
      Report(
          compiler_.Compile(
              expression, declared, ResultKind::kBool, Before::Use(before_.conditions, expression)),
          expression,
          at);
    }
    const Path name = path.Child("name");
    if (condition.name.empty()) return errors_.Required(name);
    validation::CheckKeyShaped(condition.name, name, errors_);
  }

  void CheckValidation(const v1::Validation& rule, const Path& path) {
    const Path expression = path.Child("expression");
    if (TrimSpace(rule.expression).empty()) {
      errors_.Required(expression, "expression is not specified");
    } else {
      Report(compiler_.Compile(rule.expression,
                               All(),
                               ResultKind::kBool,
                               Before::Use(before_.validations, rule.expression)),
             rule.expression,
             expression);
    }
    const Path of_message = path.Child("messageExpression");
    const std::string& message = rule.message_expression;
    if (!message.empty() && TrimSpace(message).empty()) {
      errors_.Invalid(of_message, Shown(message), "must be non-empty if specified");
    } else if (!message.empty()) {
      const Declared declared = {.params = has_params_, .variables = has_variables_};
      Report(compiler_.Compile(
                 message, declared, ResultKind::kString, Before::Use(before_.messages, message)),
             message,
             of_message);
    }
    const Path text = path.Child("message");
    const std::string_view trimmed = TrimSpace(rule.message);
    if (!rule.message.empty() && trimmed.empty()) {
      errors_.Invalid(text, Shown(rule.message), "must be non-empty if specified");
    } else if (trimmed.find_first_of("\n\r") != std::string_view::npos) {
      errors_.Invalid(text, Shown(rule.message), "must not contain line breaks");
    }
    if (rule.reason.has_value() && !Has(kReasons, *rule.reason)) {
      errors_.NotSupported(path.Child("reason"), *rule.reason, kReasons);
    }
  }

  void CheckAnnotation(const v1::AuditAnnotation& annotation, const Path& path) {
    const Path key = path.Child("key");
    const std::string& name = policy_.metadata.name;
    if (name.empty()) {
      errors_.Invalid(key, Shown(annotation.key), "requires metadata.name be non-empty");
    } else {
      validation::CheckKeyShaped(fmt::format("{}/{}", name, annotation.key), key, errors_);
    }
    const Path at = path.Child("valueExpression");
    const std::string_view expression = TrimSpace(annotation.value_expression);
    if (expression.empty()) return errors_.Required(at, "valueExpression is not specified");
    if (expression.size() > kValueExpressionBytesMax) {
      return errors_.Required(
          at, fmt::format("must not exceed {} bytes in length", kValueExpressionBytesMax));
    }
    Report(compiler_.Compile(expression,
                             All(),
                             ResultKind::kStringOrNull,
                             Before::Use(before_.values, annotation.value_expression)),
           annotation.value_expression,
           at);
  }

  const Policy& policy_;
  const Before before_;
  const bool has_params_;
  const bool has_variables_;
  Compiler compiler_;
  FieldErrors& errors_;
};

void CheckActions(const Texts& actions, const Path& path, validation::Findings& out) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < actions.size() && !out.written.is_full(); ++i) {
    const Path at = path.Index(i);
    if (!Has(kActions, actions[i])) out.written.NotSupported(at, actions[i], kActions);
    if (!seen.insert(actions[i]).second) out.written.Duplicate(at, Shown(actions[i]));
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    out.written.Invalid(
        path,
        ShownTexts(actions),
        "must not contain both Deny and Warn (repeating the same validation failure information "
        "in the API response and headers serves no purpose)");
  }
  if (!seen.empty()) return;
  out.covered().Required(path,
                         out.is_declarative() ? "" : "at least one validation action is required");
}

}  // namespace

std::vector<ErrorCause> ValidatePolicy(const Policy& policy,
                                       const Policy* old,
                                       const validation::Options& options) {
  FieldErrors errors(options.profile.release);
  const v1::ValidatingAdmissionPolicySpec& spec = policy.spec;
  const Path at("spec");
  const Path validations = at.Child("validations");
  const Path annotations = at.Child("auditAnnotations");
  const Path constraints = at.Child("matchConstraints");
  CheckWord(spec.failure_policy, kFailurePolicies, at.Child("failurePolicy"), errors);
  if (spec.param_kind.has_value()) {
    CheckParamKind(*spec.param_kind, at.Child("paramKind"), errors);
  }
  if (!spec.match_constraints.has_value()) {
    errors.Required(constraints);
  } else {
    CheckMatchResources(*spec.match_constraints, constraints, errors);
    if (spec.match_constraints->resource_rules.empty()) {
      errors.Required(constraints.Child("resourceRules"));
    }
  }
  ExpressionRules rules(policy, old, options.profile.release, errors);
  const bool same_conditions =
      old != nullptr && spec.match_conditions == old->spec.match_conditions;
  if (!same_conditions) rules.CheckConditions(at.Child("matchConditions"));
  rules.CheckVariables(at.Child("variables"));
  if (spec.validations.empty() && spec.audit_annotations.empty()) {
    constexpr std::string_view kOneOfBoth =
        "validations or auditAnnotations must contain at least one item";
    errors.Required(validations, kOneOfBoth);
    errors.Required(annotations, kOneOfBoth);
  } else {
    rules.CheckValidations(validations);
    rules.CheckAnnotations(annotations);
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidatePolicyStatus(const Policy& policy) {
  FieldErrors errors;
  const Path status("status");
  validation::CheckConditions(policy.status.conditions, status.Child("conditions"), errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidatePolicyBinding(const Binding& binding,
                                              const validation::Options& options) {
  validation::Findings out(options.profile, options.version);
  const v1::ValidatingAdmissionPolicyBindingSpec& spec = binding.spec;
  const Path at("spec");
  const Path name = at.Child("policyName");
  if (spec.policy_name.empty()) {
    out.covered().Required(name);
  } else {
    validation::CheckSubdomainShaped(spec.policy_name, name, out.written);
  }
  if (spec.param_ref.has_value()) {
    CheckParamRef(*spec.param_ref, at.Child("paramRef"), out.written);
  }
  if (spec.match_resources.has_value()) {
    CheckMatchResources(*spec.match_resources, at.Child("matchResources"), out.written);
  }
  CheckActions(spec.validation_actions, at.Child("validationActions"), out);
  return std::move(out).Take();
}

}  // namespace dray::server::policies
