// SPDX-License-Identifier: Apache-2.0
// A compiled expression: the checked tree with its constants computed and its functions found.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/published.h"
#include "cel/check/checker.h"
#include "cel/compile_error.h"
#include "cel/environment.h"
#include "cel/eval/arena.h"
#include "cel/library/library.h"
#include "cel/library/regex.h"

namespace dray::cel {

/// What evaluation needs to know about one node besides the tree.
struct NodePlan {
  const Builtin* builtin = nullptr;    // of kCall
  const Value* constant = nullptr;     // known before evaluation; costs nothing
  std::shared_ptr<const RE2> pattern;  // of matches, find, findAll with a constant pattern
};

class Program {
 public:
  /// Compiles `expression`, which may be of any length. Costs O(length). All errors of the first
  /// stage that finds any are reported.
  static std::expected<Frozen<Program>, CompileError> Compile(std::string_view expression,
                                                              const Environment& environment,
                                                              const Scope& scope = {});

  const CheckedAst& checked() const { return checked_; }
  const Ast& ast() const { return checked_.ast; }
  const NodeFacts& facts(NodeId id) const { return checked_.facts[id]; }
  const NodePlan& plan(NodeId id) const { return plans_[id]; }
  uint32_t slots() const { return checked_.slots; }
  const Type& result_type() const { return checked_.result_type(); }

  explicit Program(CheckedAst checked)
      : checked_(std::move(checked)), plans_(checked_.facts.size()) {}

 private:
  friend class Planner;

  CheckedAst checked_;
  std::vector<NodePlan> plans_;
  Arena constants_;
};

}  // namespace dray::cel
