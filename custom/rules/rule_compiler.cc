// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/rule_compiler.h"

#include <algorithm>
#include <expected>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "cel/check/checked_ast.h"
#include "cel/check/type.h"
#include "cel/compile.h"
#include "cel/cost/estimate.h"

namespace dray::custom::rules {

using api::apiextensions_v1::ValidationRule;
using cel::check::TypeKind;
using cel::eval::Program;

namespace {

// Without what upstream's parts of the program put in front of it.
std::string_view WithoutPrefix(std::string_view message) {
  for (const std::string_view prefix : {"compilation failed: ", "program instantiation failed: "}) {
    if (message.starts_with(prefix)) return message.substr(prefix.size());
  }
  return message;
}

struct Wanted {
  TypeKind type;
  std::string_view of_compilation, of_type, of_program;  // how errors of each stage begin
};
constexpr Wanted kRule = {.type = TypeKind::kBool,
                          .of_compilation = "compilation failed: ",
                          .of_type = "cel expression must evaluate to a bool",
                          .of_program = "program instantiation failed: "};
constexpr Wanted kMessage = {.type = TypeKind::kString,
                             .of_compilation = "messageExpression compilation failed: ",
                             .of_type = "messageExpression must evaluate to a string",
                             .of_program = "messageExpression instantiation failed: "};

std::expected<Frozen<Program>, std::string> Compile(std::string_view expression,
                                                    const cel::Environment& environment,
                                                    const cel::check::Scope& scope,
                                                    const Wanted& wanted) {
  auto program = cel::CompileProgram(expression, environment, scope);
  if (!program.has_value()) {
    // Upstream finds a wrong type before it makes the program.
    const cel::CompileError& error = program.error();
    return std::unexpected(
        fmt::format("{}{}",
                    error.is_internal() ? wanted.of_program : wanted.of_compilation,
                    WithoutPrefix(error.message)));
  }
  if ((*program)->result_type().kind != wanted.type) {
    return std::unexpected(std::string(wanted.of_type));
  }
  return *std::move(program);
}

bool Mentions(const Program& program, std::string_view variable) {
  const auto& nodes = program.ast().nodes;
  return std::ranges::any_of(nodes, [variable](const cel::syntax::Node& node) {
    const std::string_view name = node.name.starts_with('.') ? node.name.substr(1) : node.name;
    return node.kind == cel::syntax::NodeKind::kIdentifier && name == variable;
  });
}

}  // namespace

cel::Environment RuleLanguage::For(cel::ExpressionUse use) const {
  return {.release = release,
          .use = use,
          .purpose = cel::Purpose::kAdmission,
          .time_zones = time_zones};
}

CompiledRule CompileRule(const ValidationRule& rule,
                         const RuleLanguage& language,
                         RuleUses uses,
                         ScopeTypes& types) {
  CompiledRule out;
  if (TrimSpace(rule.rule).empty()) return out;
  const cel::check::Scope scope = types.ScopeOf(rule.optional_old_self.value_or(false));
  auto program = Compile(rule.rule, language.For(uses.rule), scope, kRule);
  if (!program.has_value()) {
    out.problem = std::move(program).error();
    return out;
  }
  out.program = *std::move(program);
  out.uses_old_self = Mentions(*out.program, kOldSelf);
  if (rule.message_expression.empty()) return out;
  auto message = Compile(rule.message_expression, language.For(uses.message), scope, kMessage);
  if (message.has_value()) {
    out.message = *std::move(message);
  } else {
    out.message_problem = std::move(message).error();
  }
  return out;
}

uint64_t EstimatedCostMax(const Program& program, const ScopeTypes& types) {
  return cel::cost::EstimateCost(program.checked(), program.environment(), types).max;
}

}  // namespace dray::custom::rules
