// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/program.h"

#include <utility>

namespace dray::cel::eval {

Program::Program(check::CheckedAst checked,
                 const Environment& environment,
                 std::vector<CompiledPattern> patterns)
    : environment_(environment), checked_(std::move(checked)) {
  plans_.patterns = std::move(patterns);
  failure_ = MakePlans(checked_, environment_, plans_);
}

size_t Program::pattern_instructions() const {
  size_t instructions = 0;
  for (const CompiledPattern& pattern : plans_.patterns) {
    instructions += static_cast<size_t>(pattern.pattern->ProgramSize());
  }
  return instructions;
}

}  // namespace dray::cel::eval
