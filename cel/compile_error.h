// SPDX-License-Identifier: Apache-2.0
// Why an expression does not compile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cel/syntax/source_error.h"

namespace dray::cel {

/// The phase that refused it. Later phases did not run.
enum class CompileStage : uint8_t {
  kLength,
  kParse,
  kCheck,
  kValidate,  // invalid durations, timestamps, patterns and formats; lists of mixed types
  kResult,    // the type of the whole expression
  kProgram,   // a constant part fails
};

struct CompileError {
  CompileStage stage = CompileStage::kParse;
  /// As upstream's API shows it: "compilation failed: ERROR: <input>:1:…" with the caret form,
  /// "must evaluate to bool or the unknown type, not T", "program instantiation failed: …".
  std::string message;
  /// What the first three stages found, by position.
  std::vector<syntax::SourceError> problems;

  /// Upstream calls the last stage internal and everything before it invalid.
  bool is_internal() const { return stage == CompileStage::kProgram; }
};

}  // namespace dray::cel
