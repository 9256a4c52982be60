// SPDX-License-Identifier: Apache-2.0
// How each node of a tree is evaluated, decided once, when the expression is compiled.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/language/environment.h"
#include "cel/library/builtin.h"
#include "cel/library/regex.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::eval {

/// How a node is evaluated.
enum class Operation : uint8_t {
  kConstant,     // `value`; costs nothing
  kPrepared,     // a function of constants: `value`, at `prepared_cost`
  kPath,         // names, selections and indexes: `root`, then `path`
  kField,        // a variable and one constant text
  kDeepPath,     // a path from a variable that starts with three constant texts
  kHas,          // the same, and whether `path.back()` is there
  kCall,         // `call`
  kShortCall,    // `call` with one or two arguments, all of which are evaluated
  kEquals,       // == of one overload
  kInConstants,  // children[0] in `value`, a list of scalars
  kOr,           // o.or(x), o.orValue(x): x only if it is needed
  kFragileCall,  // `call`, which ends the evaluation if an argument is of the wrong kind
  kByKind,       // everything else: the kind of the node says it
};

/// One selection or index.
struct PathStep {
  bool optional = false;
  Value key;                                  // if it is constant
  uint64_t hash = 0;                          // of a constant text
  syntax::NodeId key_node = syntax::kNoNode;  // otherwise
};

/// A call that needs more than its arguments.
struct SpecialCall {
  const RE2* pattern = nullptr;  // of matches, find, findAll with a constant pattern
  library::ZonedCall zoned_call = nullptr;
};

inline constexpr size_t kExpectedMax = 3;

struct NodePlan {
  Operation operation = Operation::kByKind;
  library::CostRule cost = library::CostRule::kOne;
  bool is_unique = false;         // the checker left one overload
  bool checks_signature = false;  // arguments may be of other types than declared
  bool is_expensive = false;      // time grows with the product of sizes
  bool stops_at_error = false;    // the first error ends the call before later arguments
  /// The kinds that the only overload takes, if checking kinds is enough; kError stands for any
  /// kind.
  uint8_t expected_count = 0;
  std::array<ValueKind, kExpectedMax> expected = {};
  syntax::NodeId root = syntax::kNoNode;
  uint32_t variable = 0;  // kField, kDeepPath: the number of the root
  library::BuiltinCall call = nullptr;
  const SpecialCall* special = nullptr;  // instead of `call`
  uint64_t prepared_cost = 0;
  Value value;
  std::span<const PathStep> path;
  const DeepKey* deep = nullptr;  // kDeepPath: the path

  bool HasExpectedKinds(std::span<const Value> arguments) const {
    if (expected_count == 0 || expected_count != arguments.size()) return false;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (expected[i] != ValueKind::kError && !arguments[i].is(expected[i])) return false;
    }
    return true;
  }
};

/// A constant pattern of a regular expression, by the node of the argument.
struct CompiledPattern {
  syntax::NodeId argument = syntax::kNoNode;
  std::shared_ptr<const RE2> pattern;
};

/// The plans of all nodes, with what they refer to.
struct Plans {
  std::vector<NodePlan> nodes;  // by NodeId
  Arena constants;
  syntax::Bump paths;
  std::vector<CompiledPattern> patterns;
};

/// Fills `plans`, which may hold patterns that are compiled already. Returns why a constant part
/// fails, or an empty text.
std::string MakePlans(const check::CheckedAst& checked,
                      const Environment& environment,
                      Plans& plans);

Value LiteralValue(const syntax::Constant& constant);

}  // namespace dray::cel::eval
