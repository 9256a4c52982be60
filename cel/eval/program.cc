// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/program.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/eval/result_type.h"
#include "cel/eval/validators.h"
#include "cel/syntax/parser.h"

namespace dray::cel {

std::expected<Frozen<Program>, CompileError> Program::Compile(std::string_view expression,
                                                              const Environment& environment,
                                                              const Scope& scope) {
  std::vector<SourceError> errors;
  const auto refuse = [&](CompileStage stage) {
    return std::unexpected(
        CompileError{.stage = stage,
                     .message = "compilation failed: " + FormatErrors(expression, errors),
                     .problems = std::move(errors)});
  };
  const auto refuse_whole = [](CompileStage stage, std::string message) {
    return std::unexpected(
        CompileError{.stage = stage, .message = std::move(message), .problems = {}});
  };
  Ast ast = Parse(expression, environment, errors);
  if (!errors.empty()) return refuse(CompileStage::kParse);
  CheckedAst checked = Check(std::move(ast), environment, scope, errors);
  if (!errors.empty()) return refuse(CompileStage::kCheck);
  std::vector<CompiledPattern> patterns;
  if (scope.checked) Validate(checked, environment, patterns, errors);
  if (!errors.empty()) return refuse(CompileStage::kValidate);
  auto program = std::make_shared<Program>(std::move(checked), environment);
  program->plans_.patterns = std::move(patterns);
  const std::string failure = MakePlans(program->checked_, environment, program->plans_);
  if (auto problem = ResultProblem(program->result_type(), environment); problem.has_value()) {
    return refuse_whole(CompileStage::kResult, *std::move(problem));
  }
  if (!failure.empty()) {
    return refuse_whole(CompileStage::kProgram, "program instantiation failed: " + failure);
  }
  return program;
}

}  // namespace dray::cel
