// SPDX-License-Identifier: Apache-2.0
#include "server/policies/compiled_policy.h"

#include <string_view>
#include <utility>

namespace dray::server::policies {
namespace {

CompiledExpression ExpressionOf(const Compiler& compiler,
                                std::string_view text,
                                Declared declared,
                                ResultKind result) {
  return {.text = std::string(text),
          .declared = declared,
          .program = compiler.Compile(text, declared, result, cel::ExpressionUse::kStored)};
}

}  // namespace

CompiledPolicy CompilePolicy(api::admissionregistration_v1::ValidatingAdmissionPolicy policy,
                             api::Release release) {
  CompiledPolicy compiled;
  const auto& spec = policy.spec;
  const bool has_params = spec.param_kind.has_value();
  const Declared all = {.params = has_params, .authorizer = true, .variables = true};
  const Declared of_messages = {.params = has_params, .authorizer = false, .variables = true};
  Compiler compiler(release);
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

}  // namespace dray::server::policies
