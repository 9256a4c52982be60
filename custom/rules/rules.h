// SPDX-License-Identifier: Apache-2.0
// The rules of a custom kind (x-kubernetes-validations): compiled once for a version of it, then
// run on every write. What is wrong with rules is found when they are defined: rule_checks.h. After
// apiextensions-apiserver's pkg/apiserver/schema/cel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/value/tree.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/work.h"
#include "custom/rules/rule_compiler.h"
#include "custom/rules/scope_types.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

/// Cost of one expression, and of all of one write, in the units of CEL (apiserver's
/// pkg/apis/cel/config.go).
inline constexpr uint64_t kExpressionCostMax = 1'000'000;
inline constexpr int64_t kWriteCostMax = 10'000'000;
/// What the expressions of a write may take beyond what their costs say, in units of Work.
inline constexpr uint64_t kWriteWorkMax = uint64_t{1} << 30U;
/// Bytes of a message that an expression makes; a longer one is not shown.
inline constexpr size_t kMessageBytesMax = size_t{5} * 1024;

/// One rule, ready to run.
struct ReadyRule {
  CompiledRule compiled;
  std::string text;     // of the rule, without blanks around it
  std::string message;  // the same; empty: none
  bool has_message = false;
  std::string message_expression;  // as it is written
  std::string reason;              // FieldValueInvalid where the rule names none
  std::string field_path;          // behind the path of the rule; empty: none
  bool optional_old_self = false;
};

/// The rules of a place in the schema and of all places below it. Immutable, for any number of
/// threads.
struct RuleNode {
  std::vector<ReadyRule> rules;  // in the order of the schema
  bool mentions_old_self = false;
  /// Why none of `rules` can run; empty: they can.
  std::string problem;
  /// The shape of the values here. Set at the root of a tree of nodes, and where the parent has
  /// no shape of its own; the nodes below share it.
  const Shape* shape = nullptr;
  std::unique_ptr<const Shape> own_shape;
  std::unique_ptr<const ScopeTypes> types;  // of the programs

  struct Property {
    std::string name;
    std::unique_ptr<const RuleNode> node;
  };
  std::vector<Property> properties;        // sorted by name; only those with rules
  std::unique_ptr<const RuleNode> items;   // null: no rules
  std::unique_ptr<const RuleNode> values;  // of additionalProperties; null: no rules

  const RuleNode* FindProperty(std::string_view name) const;
};

/// The rules of one version of a kind.
struct RuleSet {
  std::unique_ptr<const RuleNode> root;
};

/// Compiles the rules of a stored definition, whose schema was found valid. Null if it has none. A
/// rule that does not compile says so on each write that reaches it, as upstream. Costs
/// O(schema + length of all rules).
Frozen<RuleSet> CompileRules(const api::apiextensions_v1::JSONSchemaProps& root,
                             const RuleLanguage& language = {});

/// The same for the schema of a part of objects, such as one with a default: `place` says whether
/// it is that of a whole object.
Frozen<RuleSet> CompileRules(const api::apiextensions_v1::JSONSchemaProps& schema,
                             ShapePlace place,
                             const RuleLanguage& language);

/// What is left of what a write may cost. Rules that are run one after the other share it.
struct Budget {
  int64_t cost = kWriteCostMax;
  Work work{kWriteWorkMax};

  bool is_spent() const { return cost < 0 || work.is_spent(); }
};

struct RuleOutcome {
  std::vector<ErrorCause> causes;  // why the write is refused; empty: it is not
  /// Failures that an unchanged value is forgiven: "spec.a: Invalid value: …".
  std::vector<std::string> warnings;
};

/// kOn: failures of a rule without oldSelf are warnings where the value is what it was.
enum class Ratcheting : uint8_t { kOff, kOn };

struct RunOptions {
  Ratcheting ratcheting = Ratcheting::kOn;
  /// The path of the whole value in errors; empty: that of an object ("<nil>" for itself).
  std::string_view path = {};
};

/// Runs the rules on `object`, with `old` as what it was before; null on create. `old` may be the
/// object itself. The causes are those of upstream in this order: the rules of a value in the order
/// of the schema, then those of its members by name or of its elements. At most kCausesMax and one
/// of api/validation are kept. Ends when the budget is spent, with a cause that says so.
///
/// Deterministic. Costs at most what the budget allows; a run without failures takes O(values with
/// rules), not O(object).
RuleOutcome RunRules(const RuleSet& rules,
                     const api::Tree& object,
                     const api::Tree* old,
                     Budget& budget,
                     const RunOptions& options = {});

/// Upstream runs no rules on an object whose other checks found something that rules cannot live
/// with; then this is the cause that says so instead.
std::optional<ErrorCause> WhyRulesDoNotRun(std::span<const ErrorCause> causes);

}  // namespace dray::custom::rules
