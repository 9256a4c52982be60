// SPDX-License-Identifier: Apache-2.0
#include "cel/compile.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cel/check/checked_ast.h"
#include "cel/check/checker.h"
#include "cel/check/result_type.h"
#include "cel/eval/validators.h"
#include "cel/syntax/limits.h"
#include "cel/syntax/parser.h"

namespace dray::cel {

using eval::Program;

std::expected<Frozen<Program>, CompileError> CompileProgram(std::string_view expression,
                                                            const Environment& environment,
                                                            const check::Scope& scope) {
  std::vector<syntax::SourceError> errors;
  const auto refuse = [&](CompileStage stage) {
    return std::unexpected(
        CompileError{.stage = stage,
                     .message = "compilation failed: " + syntax::FormatErrors(expression, errors),
                     .problems = std::move(errors)});
  };
  const auto refuse_whole = [](CompileStage stage, std::string message) {
    return std::unexpected(
        CompileError{.stage = stage, .message = std::move(message), .problems = {}});
  };
  syntax::Ast ast = syntax::Parse(expression, environment, errors);
  if (!errors.empty()) return refuse(CompileStage::kParse);
  check::CheckedAst checked = check::Check(std::move(ast), environment, scope, errors);
  if (!errors.empty()) return refuse(CompileStage::kCheck);
  std::vector<eval::CompiledPattern> patterns;
  if (scope.checked) eval::Validate(checked, environment, patterns, errors);
  if (!errors.empty()) return refuse(CompileStage::kValidate);
  auto program =
      std::make_shared<const Program>(std::move(checked), environment, std::move(patterns));
  if (auto problem = check::ResultProblem(program->result_type(), environment);
      problem.has_value()) {
    return refuse_whole(CompileStage::kResult, *std::move(problem));
  }
  if (!program->failure().empty()) {
    return refuse_whole(CompileStage::kProgram,
                        "program instantiation failed: " + program->failure());
  }
  return program;
}

Result<Frozen<Program>> Compile(std::string_view expression, const Environment& environment) {
  if (expression.size() > syntax::kExpressionBytesMax) {
    return Fail(StatusReason::kInvalid,
                fmt::format("expression has {} bytes, the limit is {}",
                            expression.size(),
                            syntax::kExpressionBytesMax));
  }
  auto program = CompileProgram(expression, environment);
  if (program.has_value()) return *std::move(program);
  const StatusReason reason =
      program.error().is_internal() ? StatusReason::kInternalError : StatusReason::kInvalid;
  return Fail(reason, std::move(program).error().message);
}

}  // namespace dray::cel
