// SPDX-License-Identifier: Apache-2.0
#include "server/policies/compiled_policy.h"

#include <string_view>
#include <utility>

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;

CompiledExpression ExpressionOf(const Compiler& compiler,
                                std::string_view text,
                                Declared declared,
                                ResultKind result) {
  return {.text = std::string(text),
          .declared = declared,
          .program = compiler.Compile(text, declared, result, cel::ExpressionUse::kStored)};
}

// What every expression of a policy may name, but for those of messages.
template <class Spec>
Declared AllOf(const Spec& spec) {
  return {.params = spec.param_kind.has_value(), .authorizer = true, .variables = true};
}

// Variables and conditions, which all policies have.
template <class CompiledOne, class Spec>
void CompileCommon(const Spec& spec, Compiler& compiler, CompiledOne& compiled) {
  const Declared all = AllOf(spec);
  for (const auto& variable : spec.variables) {
    CompiledExpression expression =
        ExpressionOf(compiler, variable.expression, all, ResultKind::kAnything);
    compiler.Name(variable.name, expression.program);
    compiled.variables.push_back({.name = variable.name, .expression = std::move(expression)});
  }
  for (const auto& condition : spec.match_conditions) {
    compiled.match_conditions.push_back(
        ExpressionOf(compiler, condition.expression, all, ResultKind::kBool));
  }
}

CompiledMutation MutationOf(const Compiler& compiler,
                            const v1::Mutation& mutation,
                            const Declared& declared) {
  if (mutation.patch_type == "JSONPatch" && mutation.json_patch.has_value()) {
    return {.is_json_patch = true,
            .expression = ExpressionOf(
                compiler, mutation.json_patch->expression, declared, ResultKind::kJsonPatch)};
  }
  if (mutation.patch_type == "ApplyConfiguration" && mutation.apply_configuration.has_value()) {
    return {.expression = ExpressionOf(
                compiler, mutation.apply_configuration->expression, declared, ResultKind::kObject)};
  }
  return {.expression = {.text = {}, .is_there = false}};
}

}  // namespace

CompiledPolicy CompilePolicy(v1::ValidatingAdmissionPolicy policy, api::Release release) {
  CompiledPolicy compiled;
  const auto& spec = policy.spec;
  const Declared all = AllOf(spec);
  const Declared of_messages = {.params = all.params, .authorizer = false, .variables = true};
  Compiler compiler(release);
  CompileCommon(spec, compiler, compiled);
  for (const auto& validation : spec.validations) {
    compiled.validations.push_back(
        ExpressionOf(compiler, validation.expression, all, ResultKind::kBool));
    compiled.messages.push_back(
        validation.message_expression.empty()
            ? CompiledExpression{.text = {}, .is_there = false}
            : ExpressionOf(
                  compiler, validation.message_expression, of_messages, ResultKind::kString));
  }
  for (const auto& annotation : spec.audit_annotations) {
    compiled.audit_annotations.push_back(
        ExpressionOf(compiler, annotation.value_expression, all, ResultKind::kStringOrNull));
  }
  compiled.policy = std::move(policy);
  return compiled;
}

CompiledMutatingPolicy CompilePolicy(v1::MutatingAdmissionPolicy policy, api::Release release) {
  CompiledMutatingPolicy compiled;
  Compiler compiler(release);
  CompileCommon(policy.spec, compiler, compiled);
  Declared all = AllOf(policy.spec);
  all.patches = true;
  for (const v1::Mutation& mutation : policy.spec.mutations) {
    compiled.mutations.push_back(MutationOf(compiler, mutation, all));
  }
  compiled.policy = std::move(policy);
  return compiled;
}

}  // namespace dray::server::policies
