// SPDX-License-Identifier: Apache-2.0
// A compiled expression: the checked tree with its constants computed and its functions found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/check/type.h"
#include "cel/eval/plan.h"
#include "cel/language/environment.h"
#include "cel/syntax/ast.h"

namespace dray::cel::eval {

/// Immutable, for use by any number of threads at once. Refers to itself, so it cannot be copied or
/// moved.
class Program {
 public:
  /// Makes the plans. `patterns` are those that Validate compiled. Costs O(nodes).
  Program(check::CheckedAst checked,
          const Environment& environment,
          std::vector<CompiledPattern> patterns);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() = default;

  /// Why a constant part fails, or empty. A program that has a failure must not be evaluated.
  const std::string& failure() const { return failure_; }

  const Environment& environment() const { return environment_; }
  const check::CheckedAst& checked() const { return checked_; }
  const syntax::Ast& ast() const { return checked_.ast; }
  const check::NodeFacts& facts(syntax::NodeId id) const { return checked_.facts[id]; }
  const NodePlan& plan(syntax::NodeId id) const { return plans_.nodes[id]; }
  uint32_t slots() const { return checked_.slots; }
  /// Instructions of all constant patterns (cel/library/regex.h).
  size_t pattern_instructions() const;
  const check::Type& result_type() const { return checked_.result_type(); }

 private:
  Environment environment_;
  check::CheckedAst checked_;
  Plans plans_;
  std::string failure_;
};

}  // namespace dray::cel::eval
