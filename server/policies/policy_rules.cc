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

#include "api/validation/field_error.h"
#include "api/validation/value_rules.h"
#include "base/text/ascii.h"
#include "server/policies/expressions.h"
#include "server/policies/match_rules.h"
#include "server/policies/policy_parts.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
namespace validation = api::validation;
using Policy = v1::ValidatingAdmissionPolicy;
using Binding = v1::ValidatingAdmissionPolicyBinding;
using validation::FieldErrors;
using validation::Path;
using validation::Shown;
using Texts = api::List<std::string>;

constexpr std::array<std::string_view, 3> kReasons = {
    "Forbidden", "Invalid", "RequestEntityTooLarge"};
constexpr std::array<std::string_view, 3> kActions = {"Audit", "Deny", "Warn"};

// ------------------------------------------------------------------------------------- expressions

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

  KnownExpressions conditions, validations, messages, values;
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
    CheckMatchConditions(policy_.spec.match_conditions,
                         before_.conditions,
                         {.params = has_params_, .authorizer = true},
                         compiler_,
                         {path, errors_});
  }

  void CheckVariables(const Path& path) {
    policies::CheckVariables(
        policy_.spec.variables, before_.validations, All(), compiler_, {path, errors_});
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

  void CheckValidation(const v1::Validation& rule, const Path& path) {
    const Path expression = path.Child("expression");
    if (TrimSpace(rule.expression).empty()) {
      errors_.Required(expression, "expression is not specified");
    } else {
      ReportProblem(compiler_.Compile(rule.expression,
                                      All(),
                                      ResultKind::kBool,
                                      UseOf(before_.validations, rule.expression)),
                    rule.expression,
                    {expression, errors_});
    }
    const Path of_message = path.Child("messageExpression");
    const std::string& message = rule.message_expression;
    if (!message.empty() && TrimSpace(message).empty()) {
      errors_.Invalid(of_message, Shown(message), "must be non-empty if specified");
    } else if (!message.empty()) {
      const Declared declared = {.params = has_params_, .variables = has_variables_};
      ReportProblem(compiler_.Compile(
                        message, declared, ResultKind::kString, UseOf(before_.messages, message)),
                    message,
                    {of_message, errors_});
    }
    const Path text = path.Child("message");
    const std::string_view trimmed = TrimSpace(rule.message);
    if (!rule.message.empty() && trimmed.empty()) {
      errors_.Invalid(text, Shown(rule.message), "must be non-empty if specified");
    } else if (trimmed.find_first_of("\n\r") != std::string_view::npos) {
      errors_.Invalid(text, Shown(rule.message), "must not contain line breaks");
    }
    if (rule.reason.has_value() && !IsOneOf(kReasons, *rule.reason)) {
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
    ReportProblem(compiler_.Compile(expression,
                                    All(),
                                    ResultKind::kStringOrNull,
                                    UseOf(before_.values, annotation.value_expression)),
                  annotation.value_expression,
                  {at, errors_});
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
    if (!IsOneOf(kActions, actions[i])) out.written.NotSupported(at, actions[i], kActions);
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
  const bool same_conditions = old != nullptr && spec.param_kind == old->spec.param_kind &&
                               spec.match_conditions == old->spec.match_conditions;
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
