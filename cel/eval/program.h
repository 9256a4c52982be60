// SPDX-License-Identifier: Apache-2.0
// A compiled expression: the checked tree with its constants computed and its functions found.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/published.h"
#include "base/result.h"
#include "cel/check/checker.h"
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

/// Which result types an expression may have.
enum class ResultRule : uint8_t {
  kAny,
  kSelector,  // bool, or the type of attribute values
};

class Program {
 public:
  /// Compiles `expression`. Costs O(length).
  ///
  /// Errors: kInvalid        "compilation failed: …" with upstream's words for all errors of the
  /// first
  ///                         stage that found any, "not supported yet: …" among them; or "must
  ///                         evaluate to bool or the unknown type, not T".
  ///         kInternalError  "program instantiation failed: …": a constant part fails.
  static Result<Frozen<Program>> Compile(std::string_view expression,
                                         const Environment& environment,
                                         ResultRule rule);

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
