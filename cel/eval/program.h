// SPDX-License-Identifier: Apache-2.0
// A compiled expression: the checked tree with its constants computed and its functions found.
#pragma once

#include <expected>
#include <string_view>

#include "base/published.h"
#include "cel/check/checker.h"
#include "cel/check/scope.h"
#include "cel/compile_error.h"
#include "cel/environment.h"
#include "cel/eval/plan.h"

namespace dray::cel {

class Program {
 public:
  /// Compiles `expression`, which may be of any length. Costs O(length). All errors of the first
  /// stage that finds any are reported.
  static std::expected<Frozen<Program>, CompileError> Compile(std::string_view expression,
                                                              const Environment& environment,
                                                              const Scope& scope = {});

  const Environment& environment() const { return environment_; }
  const CheckedAst& checked() const { return checked_; }
  const Ast& ast() const { return checked_.ast; }
  const NodeFacts& facts(NodeId id) const { return checked_.facts[id]; }
  const NodePlan& plan(NodeId id) const { return plans_.nodes[id]; }
  uint32_t slots() const { return checked_.slots; }
  const Type& result_type() const { return checked_.result_type(); }

  Program(CheckedAst checked, const Environment& environment)
      : environment_(environment), checked_(std::move(checked)) {}

 private:
  Environment environment_;
  CheckedAst checked_;
  Plans plans_;
};

}  // namespace dray::cel
