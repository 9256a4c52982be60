// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutating_rules.h"

#include <array>
#include <optional>
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
using MutatingPolicy = v1::MutatingAdmissionPolicy;
using MutatingBinding = v1::MutatingAdmissionPolicyBinding;
using validation::FieldErrors;
using validation::Path;
using validation::Shown;

// What is deleted cannot be changed.
constexpr std::array<std::string_view, 4> kMutatingOperations = {
    "*", "CONNECT", "CREATE", "UPDATE"};
constexpr std::array<std::string_view, 2> kReinvocations = {"IfNeeded", "Never"};
constexpr std::string_view kApplyConfiguration = "ApplyConfiguration";
constexpr std::string_view kJsonPatch = "JSONPatch";
constexpr std::array<std::string_view, 2> kPatchTypes = {kApplyConfiguration, kJsonPatch};

// Upstream names neither the rule nor the place in its list.
void CheckMutatingOperations(const v1::MatchResources& match,
                             const Path& path,
                             FieldErrors& errors) {
  const Path rules = path.Child("resourceRules");
  const Path operations = rules.Child("operations");
  for (const v1::NamedRuleWithOperations& rule : match.resource_rules) {
    for (const std::string& operation : rule.rule_with_operations.operations) {
      if (errors.is_full()) return;
      if (!IsOneOf(kMutatingOperations, operation)) {
        errors.NotSupported(operations, operation, kMutatingOperations);
      }
    }
  }
}

// As CheckWord, for a word that is empty where it is missing.
void CheckChoice(const std::string& word,
                 std::span<const std::string_view> words,
                 const Path& path,
                 FieldErrors& errors) {
  if (word.empty()) return errors.Required(path);
  if (!IsOneOf(words, word)) errors.NotSupported(path, word, words);
}

class MutationRules {
 public:
  MutationRules(const MutatingPolicy& policy, const MutatingPolicy* old, const Compiler& compiler)
      : compiler_(compiler),
        declared_{.params = policy.spec.param_kind.has_value(),
                  .authorizer = true,
                  .variables = true,
                  .patches = true} {
    if (old == nullptr) return;
    // Upstream looks among these for expressions of JSON patches, too.
    for (const v1::Mutation& mutation : old->spec.mutations) {
      if (mutation.apply_configuration.has_value()) {
        known_.insert(mutation.apply_configuration->expression);
      }
    }
  }

  void Check(const v1::Mutation& mutation, const Path& path, FieldErrors& errors) const {
    CheckChoice(mutation.patch_type, kPatchTypes, path.Child("patchType"), errors);
    const bool is_patch = mutation.patch_type == kJsonPatch;
    if (!is_patch && mutation.patch_type != kApplyConfiguration) return;
    const auto text_of = [](const auto& change) {
      return change.has_value() ? std::optional(change->expression) : std::nullopt;
    };
    const auto of_patch = text_of(mutation.json_patch);
    const auto of_configuration = text_of(mutation.apply_configuration);
    const std::string_view name = is_patch ? "jsonPatch" : "applyConfiguration";
    const std::string_view other = is_patch ? "applyConfiguration" : "jsonPatch";
    const Path at = path.Child(name);
    const auto& given = is_patch ? of_patch : of_configuration;
    if (given.has_value()) {
      CheckExpression(*given, is_patch, at, errors);
    } else {
      errors.Required(at,
                      fmt::format("must be specified when patchType is {}", mutation.patch_type));
    }
    if ((is_patch ? of_configuration : of_patch).has_value()) {
      errors.Invalid(
          path.Child(other),
          Shown(fmt::format("{{{}}}", other)),
          fmt::format("must not be specified when patchType is {}", mutation.patch_type));
    }
  }

 private:
  void CheckExpression(const std::string& given,
                       bool is_patch,
                       const Path& path,
                       FieldErrors& errors) const {
    const Path at = path.Child("expression");
    const std::string_view expression = TrimSpace(given);
    if (expression.empty()) return errors.Required(at);
    const ResultKind result = is_patch ? ResultKind::kJsonPatch : ResultKind::kObject;
    ReportProblem(compiler_.Compile(expression, declared_, result, UseOf(known_, given)),
                  expression,
                  {at, errors});
  }

  const Compiler& compiler_;
  const Declared declared_;
  KnownExpressions known_;
};

void CheckConstraints(const v1::MutatingAdmissionPolicySpec& spec,
                      const Path& path,
                      FieldErrors& errors) {
  if (!spec.match_constraints.has_value()) return errors.Required(path);
  CheckMatchResources(*spec.match_constraints, path, errors);
  if (spec.match_constraints->resource_rules.empty()) {
    errors.Required(path.Child("resourceRules"));
  }
  CheckMutatingOperations(*spec.match_constraints, path, errors);
}

void CheckMutatingConditions(const MutatingPolicy& policy,
                             const MutatingPolicy* old,
                             const Compiler& compiler,
                             At at) {
  const v1::MutatingAdmissionPolicySpec& spec = policy.spec;
  KnownExpressions known;
  if (old != nullptr) {
    const bool is_same = spec.param_kind == old->spec.param_kind &&
                         spec.match_conditions == old->spec.match_conditions;
    if (is_same) return;
    for (const auto& one : old->spec.match_conditions) known.insert(one.expression);
  }
  CheckMatchConditions(spec.match_conditions,
                       known,
                       {.params = spec.param_kind.has_value(), .authorizer = true},
                       compiler,
                       at);
}

}  // namespace

std::vector<ErrorCause> ValidateMutatingPolicy(const MutatingPolicy& policy,
                                               const MutatingPolicy* old,
                                               const validation::Options& options) {
  FieldErrors errors(options.profile.release);
  const v1::MutatingAdmissionPolicySpec& spec = policy.spec;
  const Path at("spec");
  const Path conditions = at.Child("matchConditions");
  const Path variables = at.Child("variables");
  const Path mutations = at.Child("mutations");
  CheckWord(spec.failure_policy, kFailurePolicies, at.Child("failurePolicy"), errors);
  if (spec.param_kind.has_value()) {
    CheckParamKind(*spec.param_kind, at.Child("paramKind"), errors);
  }
  CheckConstraints(spec, at.Child("matchConstraints"), errors);
  Compiler compiler(options.profile.release);
  CheckMutatingConditions(policy, old, compiler, {conditions, errors});
  const Declared declared = {
      .params = spec.param_kind.has_value(), .authorizer = true, .variables = true};
  CheckVariables(spec.variables, {}, declared, compiler, {variables, errors});
  if (spec.mutations.empty()) {
    errors.Required(mutations, "mutations must contain at least one item");
  }
  const MutationRules rules(policy, old, compiler);
  for (size_t i = 0; i < spec.mutations.size() && !errors.is_full(); ++i) {
    const Path one = mutations.Index(i);
    rules.Check(spec.mutations[i], one, errors);
  }
  CheckChoice(spec.reinvocation_policy, kReinvocations, at.Child("reinvocationPolicy"), errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateMutatingPolicyBinding(const MutatingBinding& binding,
                                                      const validation::Options& options) {
  FieldErrors errors(options.profile.release);
  const v1::MutatingAdmissionPolicyBindingSpec& spec = binding.spec;
  const Path at("spec");
  const Path name = at.Child("policyName");
  const Path match = at.Child("matchResources");
  if (spec.policy_name.empty()) {
    errors.Required(name);
  } else {
    validation::CheckSubdomainShaped(spec.policy_name, name, errors);
  }
  if (spec.param_ref.has_value()) CheckParamRef(*spec.param_ref, at.Child("paramRef"), errors);
  if (spec.match_resources.has_value()) {
    CheckMatchResources(*spec.match_resources, match, errors);
    CheckMutatingOperations(*spec.match_resources, match, errors);
  }
  return std::move(errors).Take();
}

}  // namespace dray::server::policies
