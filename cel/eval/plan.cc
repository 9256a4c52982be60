// SPDX-License-Identifier: Apache-2.0
// One walk over the checked tree, children first. Only literals and unary conversions of constants
// become constants: folding more would change costs, and would report errors that an evaluation may
// never reach. A few other functions of constants are computed here too, but charged when they are
// evaluated.
#include "cel/eval/plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "cel/check/environment_variables.h"
#include "cel/check/messages.h"
#include "cel/library/call_cost.h"
#include "cel/library/registry.h"
#include "cel/value/make.h"

namespace dray::cel::eval {

using check::CheckedAst;
using check::NameKind;
using check::NodeFacts;
using check::Type;
using check::TypeKind;
using library::Builtin;
using library::CostRule;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

bool IsTextKey(const Value& value) {
  return value.is(ValueKind::kString);
}

bool IsScalarList(const Value& value) {
  if (!value.is(ValueKind::kList)) return false;
  return std::ranges::all_of(value.list().items(),
                             [](const Value& item) { return IsScalarKey(item.kind()); });
}

std::string_view WithoutDot(std::string_view name) {
  return name.starts_with('.') ? name.substr(1) : name;
}

// The kind of all values of a declared type; kError if they have any kind. Nothing if the kind does
// not decide.
std::optional<ValueKind> ExpectedKind(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kParameter: return ValueKind::kError;
    case TypeKind::kNull: return ValueKind::kNull;
    case TypeKind::kBool: return ValueKind::kBool;
    case TypeKind::kInt: return ValueKind::kInt;
    case TypeKind::kUint: return ValueKind::kUint;
    case TypeKind::kDouble: return ValueKind::kDouble;
    case TypeKind::kString: return ValueKind::kString;
    case TypeKind::kBytes: return ValueKind::kBytes;
    case TypeKind::kTimestamp: return ValueKind::kTimestamp;
    case TypeKind::kDuration: return ValueKind::kDuration;
    case TypeKind::kMap: return ValueKind::kMap;
    case TypeKind::kOptional: return ValueKind::kOptional;
    case TypeKind::kList: {
      const auto element = ExpectedKind(*type.parameters[0]);
      return element == ValueKind::kError ? std::optional(ValueKind::kList) : std::nullopt;
    }
    case TypeKind::kObject:
    case TypeKind::kOpaque: return KindOfObject(type.name);
    case TypeKind::kError:
    case TypeKind::kType:
    case TypeKind::kWrapper: break;
  }
  return std::nullopt;
}

bool IsExpensive(CostRule rule) {
  return rule == CostRule::kProduct || rule == CostRule::kDoubleProduct ||
         rule == CostRule::kQuadratic || rule == CostRule::kQuadraticKeys ||
         rule == CostRule::kFlatten;
}

// What upstream's planner finds under the name of a function: code that takes one value, or two, or
// any number of them, because it tells overloads apart.
enum class Takes : uint8_t { kOne, kTwo, kAnyNumber };

// The only overload of a function is its code; these three do not follow from their overloads.
Takes TakesOf(const check::Function& function) {
  if (function.name == "size" || function.name == "sort") return Takes::kOne;
  if (function.name == "matches") return Takes::kTwo;
  if (function.name == "format" || function.overloads.size() != 1) return Takes::kAnyNumber;
  const size_t parameters = function.overloads[0].parameters.size();
  return parameters == 1 ? Takes::kOne : parameters == 2 ? Takes::kTwo : Takes::kAnyNumber;
}

// Upstream's names for as many arguments.
std::string_view NamesOf(size_t arguments) {
  constexpr std::array<std::string_view, 3> kNames = {"", "arg", "lhs, rhs"};
  return arguments < kNames.size() ? kNames[arguments] : "...";
}

class Planner {
 public:
  Planner(const CheckedAst& checked, const Environment& environment, Plans& plans)
      : checked_(checked), ast_(checked.ast), environment_(environment), plans_(plans) {
    plans_.nodes.resize(ast_.nodes.size());
  }

  std::string Run() {
    Plan(ast_.root);
    return std::move(failure_);
  }

 private:
  void Plan(NodeId id) {
    const Node& node = ast_[id];
    for (const NodeId child : node.children) {
      if (child != syntax::kNoNode) Plan(child);
    }
    switch (node.kind) {
      case NodeKind::kLiteral: SetConstant(id, LiteralValue(node.constant)); break;
      case NodeKind::kIdentifier: PlanName(id, node); break;
      case NodeKind::kSelect: PlanPath(id, Operation::kPath, TextStep(node)); break;
      case NodeKind::kHas: PlanPath(id, Operation::kHas, TextStep(node)); break;
      case NodeKind::kIndex: PlanIndex(id, node); break;
      case NodeKind::kCall: PlanCall(id, node); break;
      case NodeKind::kList: PlanList(id, node); break;
      case NodeKind::kMap: PlanMap(id, node); break;
      case NodeKind::kSortBy: PlanSortBy(id); break;
      case NodeKind::kBind:
        MentionVariable(node.name, *checked_.facts[node.children[0]].type);
        break;
      case NodeKind::kOptMap: PlanOptMap(node); break;
      case NodeKind::kMessage:
      case NodeKind::kConditional:
      case NodeKind::kAnd:
      case NodeKind::kOr:
      case NodeKind::kFold: break;
    }
  }

  NodePlan& At(NodeId id) { return plans_.nodes[id]; }

  void SetConstant(NodeId id, const Value& value) {
    At(id).operation = Operation::kConstant;
    At(id).value = value;
  }
  const Value* ConstantOf(NodeId id) const {
    const NodePlan& plan = plans_.nodes[id];
    return plan.operation == Operation::kConstant ? &plan.value : nullptr;
  }

  void FailProgram(std::string_view message) {
    if (failure_.empty()) failure_ = message;
  }

  void PlanName(NodeId id, const Node& node) {
    At(id).operation = Operation::kPath;
    At(id).root = id;
    const NameKind kind = checked_.facts[id].name_kind;
    if (kind == NameKind::kNullValue) return SetConstant(id, Value::Int(0));
    const std::string_view name = WithoutDot(node.name);
    if (kind == NameKind::kLocal) MentionVariable(name, *checked_.facts[id].type);
    if (kind != NameKind::kTypeName) return;
    if (!IsTypeOfValues(name)) {
      return FailProgram(fmt::format("reference to undefined type: {}", name));
    }
    SetConstant(id, Value::Type(name));
  }

  // Upstream mistakes a variable that holds a type for the name of a type.
  void MentionVariable(std::string_view name, const Type& type) {
    if (type.kind == TypeKind::kType) {
      FailProgram(fmt::format("reference to undefined type: {}", name));
    }
  }

  // The types of the device and of messages that stand for other values are declared, but have no
  // values of their own.
  static bool IsTypeOfValues(std::string_view name) {
    if (name == check::kDeviceType) return false;
    const check::Message* const message = check::FindMessage(name);
    return message == nullptr || (message->type == name && !name.ends_with(".Any"));
  }

  static PathStep TextStep(const Node& node) {
    return {.optional = node.optional && node.kind == NodeKind::kSelect,
            .key = Value::String(node.name),
            .hash = HashText(node.name)};
  }

  // The path of the operand with one more step. An operand that is not a path is the root.
  void PlanPath(NodeId id, Operation operation, const PathStep& step) {
    const NodeId operand = ast_[id].children[0];
    const Operation before_it = plans_.nodes[operand].operation;
    const bool continues =
        before_it == Operation::kDeepPath || before_it == Operation::kField ||
        (before_it == Operation::kPath && ast_[operand].kind != NodeKind::kIdentifier);
    const std::span<const PathStep> before =
        continues ? plans_.nodes[operand].path : std::span<const PathStep>();
    const std::span<PathStep> path = plans_.paths.MakeArray<PathStep>(before.size() + 1);
    std::ranges::copy(before, path.begin());
    path.back() = step;
    At(id).operation = operation;
    At(id).root = continues ? plans_.nodes[operand].root : operand;
    At(id).path = path;
    const NodeFacts& root = checked_.facts[At(id).root];
    if (operation != Operation::kPath || root.name_kind != NameKind::kVariable) return;
    At(id).variable = root.slot;
    if (path.size() == 1 && IsPlainText(step)) At(id).operation = Operation::kField;
    if (!IsDeep(path)) return;
    At(id).operation = Operation::kDeepPath;
    At(id).deep = plans_.paths.Make<DeepKey>(
        DeepKey{.a = path[0].key.text(),
                .b = path[1].key.text(),
                .c = path[2].key.text(),
                .hash = HashPath(path[0].hash, path[1].hash, path[2].hash)});
  }

  static bool IsPlainText(const PathStep& step) {
    return !step.optional && step.key_node == syntax::kNoNode && IsTextKey(step.key);
  }
  static bool IsDeep(std::span<const PathStep> path) {
    return path.size() == 3 && std::ranges::all_of(path, IsPlainText);
  }

  void PlanIndex(NodeId id, const Node& node) {
    PathStep step{.optional = node.optional, .key_node = node.children[1]};
    if (const Value* const key = ConstantOf(node.children[1]); key != nullptr) {
      if (!IsScalarKey(key->kind())) {
        return FailProgram(fmt::format("invalid qualifier type: {}", GoTypeName(*key)));
      }
      step.key = *key;
      step.key_node = syntax::kNoNode;
      if (IsTextKey(*key)) step.hash = HashText(key->text());
    }
    PlanPath(id, Operation::kPath, step);
  }

  void PlanCall(NodeId id, const Node& node) {
    const std::string_view name = WithoutDot(node.name);
    const NodeFacts& facts = checked_.facts[id];
    NodePlan& plan = At(id);
    const size_t count = node.children.size();
    if (facts.function != nullptr && (name == "or" || name == "orValue") && count == 2) {
      plan.operation = Operation::kOr;
      return;
    }
    const Builtin* const builtin = facts.function == nullptr
                                       ? nullptr
                                       : library::FindBuiltin(name, environment_, facts.overload);
    if (builtin == nullptr) {
      plan.operation = Operation::kCall;  // of nothing
      plan.stops_at_error = true;
      if (count == 0) FailCall(name, count);
      return;
    }
    PlanBuiltin(id, *builtin);
    if (!HasOverloadOf(*facts.function, count)) return PlanMiscounted(id, *facts.function);
    if (library::IsRegexFunction(name) && node.children.size() > 1) PlanPattern(plan, node);
    if (library::IsConversion(name) && node.children.size() == 1) return Fold(id, node, *builtin);
    if (name == "@in") return PlanMembership(id, node);
    if (count > 0 && count <= 2 && !plan.stops_at_error) plan.operation = Operation::kShortCall;
    if (name == "_==_" && plan.is_unique) plan.operation = Operation::kEquals;
    if (IsFragile(name, count, plan.is_unique)) {
      plan.operation = Operation::kFragileCall;
      return;
    }
    Prepare(id, node);
  }

  static bool HasOverloadOf(const check::Function& function, size_t arguments) {
    return std::ranges::any_of(function.overloads, [&](const check::Overload& overload) {
      return overload.parameters.size() == arguments;
    });
  }

  // Only without type checks: no overload takes as many arguments. Code for one or two values is
  // refused now; other code finds out when it is called.
  void PlanMiscounted(NodeId id, const check::Function& function) {
    const size_t count = ast_[id].children.size();
    if (TakesOf(function) != Takes::kAnyNumber) FailCall(function.name, count);
    NodePlan& plan = At(id);
    plan.cost = CostRule::kOne;
    plan.checks_signature = true;
    plan.stops_at_error = true;
  }

  void FailCall(std::string_view function, size_t arguments) {
    FailProgram(fmt::format("no such overload: {}({})", function, NamesOf(arguments)));
  }

  // Calls in which upstream relies on the types that the checker found, and panics on others.
  static bool IsFragile(std::string_view name, size_t arguments, bool is_unique) {
    return name == "distinct" || (name == "sort" && is_unique) ||
           (name == "flatten" && arguments == 2);
  }

  void PlanBuiltin(NodeId id, const Builtin& builtin) {
    const check::Overload* const overload = checked_.facts[id].overload;
    NodePlan& plan = At(id);
    plan.operation = Operation::kCall;
    plan.call = builtin.call;
    if (builtin.zoned_call != nullptr) {
      plan.special = SpecialFor({.zoned_call = builtin.zoned_call});
    }
    plan.is_unique = overload != nullptr;
    plan.is_expensive = IsExpensive(builtin.cost);
    plan.cost = library::CostOf(builtin.cost, overload);
    plan.checks_signature = builtin.wrong_types == library::WrongTypes::kSignature;
    plan.stops_at_error = StopsAtError(builtin, ast_[id].children.size(), plan.is_unique);
    if (plan.checks_signature && plan.is_unique) ExpectKinds(*checked_.facts[id].overload, plan);
  }

  // Calls with three or more arguments do, and calls whose overload is chosen by the types of the
  // arguments.
  static bool StopsAtError(const Builtin& builtin, size_t arguments, bool is_unique) {
    if (arguments >= 3 || builtin.name == "format") return true;
    const bool by_types =
        builtin.wrong_types == library::WrongTypes::kSignature || builtin.name == "flatten";
    return by_types && !is_unique;
  }

  static void ExpectKinds(const check::Overload& overload, NodePlan& plan) {
    if (overload.parameters.size() > plan.expected.size()) return;
    for (size_t i = 0; i < overload.parameters.size(); ++i) {
      const std::optional<ValueKind> kind = ExpectedKind(*overload.parameters[i]);
      if (!kind.has_value()) return;
      plan.expected[i] = *kind;
    }
    plan.expected_count = static_cast<uint8_t>(overload.parameters.size());
  }

  const SpecialCall* SpecialFor(const SpecialCall& call) {
    return plans_.paths.Make<SpecialCall>(call);
  }

  // Instructions that patterns may still compile to.
  size_t PatternsLeft() const {
    size_t left = library::kExpressionPatternsMax;
    for (const CompiledPattern& known : plans_.patterns) {
      left -= std::min(left, static_cast<size_t>(known.pattern->ProgramSize()));
    }
    return left;
  }

  // A constant pattern is compiled now and is not an argument any more.
  void PlanPattern(NodePlan& plan, const Node& node) {
    const Value* const pattern = ConstantOf(node.children[1]);
    if (pattern == nullptr || !pattern->is(ValueKind::kString)) return;
    plan.stops_at_error = true;
    const NodeId argument = node.children[1];
    const auto known = std::ranges::find(plans_.patterns, argument, &CompiledPattern::argument);
    if (known != plans_.patterns.end()) {
      plan.special = SpecialFor({.pattern = known->pattern.get()});
      return;
    }
    if (!failure_.empty()) return;
    size_t left = PatternsLeft();
    auto compiled = library::CompileRegex(pattern->text(), left);
    if (!compiled.has_value()) return FailProgram(compiled.error().message);
    plan.special = SpecialFor({.pattern = compiled->get()});
    plans_.patterns.push_back({argument, *std::move(compiled)});
  }

  void Fold(NodeId id, const Node& node, const Builtin& conversion) {
    const Value* const argument = ConstantOf(node.children[0]);
    if (argument == nullptr) return;
    const std::span<const Value> arguments(argument, 1);
    const NodeFacts& facts = checked_.facts[id];
    if (!library::AcceptsValues(*facts.function, arguments, facts.overload)) {
      return FailProgram(
          fmt::format("no such overload: {}({})", conversion.name, TypeName(*argument)));
    }
    const Value result = conversion.call(plans_.constants, arguments);
    if (result.is_error()) return FailProgram(result.text());
    SetConstant(id, result);
  }

  void PlanMembership(NodeId id, const Node& node) {
    const Value* const set = ConstantOf(node.children[1]);
    if (set == nullptr || !At(id).is_unique || !IsScalarList(*set)) return;
    if (set->list().empty()) return SetConstant(id, Value::Bool(false));
    At(id).operation = Operation::kInConstants;
    At(id).value = *set;
  }

  // An object made from constants is the same every time, so it is made now. Only small objects:
  // compiling builds no lists.
  void Prepare(NodeId id, const Node& node) {
    constexpr std::array<std::string_view, 5> kConstructors = {
        "quantity", "semver", "ip", "cidr", "url"};
    if (std::ranges::find(kConstructors, WithoutDot(node.name)) == kConstructors.end()) return;
    NodePlan& plan = At(id);
    std::vector<Value> arguments;
    for (const NodeId child : node.children) {
      if (ConstantOf(child) == nullptr) return;
      arguments.push_back(*ConstantOf(child));
    }
    if (arguments.empty() || plan.special != nullptr) return;
    const NodeFacts& facts = checked_.facts[id];
    if (plan.checks_signature &&
        !library::AcceptsValues(*facts.function, arguments, facts.overload))
      return;
    plan.value = plan.call(plans_.constants, arguments);
    plan.prepared_cost = library::CallCost(plan.cost, arguments, plan.value);
    plan.operation = Operation::kPrepared;
  }

  void PlanSortBy(NodeId id) {
    const Builtin* const builtin = library::FindBuiltin("@sortByAssociatedKeys", environment_);
    DRAY_CHECK(builtin != nullptr);  // the macro has the same releases
    PlanBuiltin(id, *builtin);
    At(id).operation = Operation::kByKind;
  }

  void PlanOptMap(const Node& node) {
    const Type& target = *checked_.facts[node.children[0]].type;
    if (target.kind == TypeKind::kOptional) MentionVariable(node.name, *target.parameters[0]);
  }

  void PlanList(NodeId id, const Node& node) {
    if (!node.optional_entries.empty()) return;
    std::vector<Value> items;
    for (const NodeId child : node.children) {
      if (ConstantOf(child) == nullptr) return;
      items.push_back(*ConstantOf(child));
    }
    SetConstant(id, MakeList(plans_.constants, items));
  }

  void PlanMap(NodeId id, const Node& node) {
    if (!node.optional_entries.empty()) return;
    for (const NodeId child : node.children) {
      if (ConstantOf(child) == nullptr) return;
    }
    std::vector<MapEntry> entries;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      entries.push_back({*ConstantOf(node.children[i]), *ConstantOf(node.children[i + 1])});
    }
    SetConstant(id, MakeMap(plans_.constants, entries));
  }

  const CheckedAst& checked_;
  const syntax::Ast& ast_;
  const Environment& environment_;
  Plans& plans_;
  std::string failure_;
};

}  // namespace

std::string MakePlans(const CheckedAst& checked, const Environment& environment, Plans& plans) {
  return Planner(checked, environment, plans).Run();
}

Value LiteralValue(const syntax::Constant& constant) {
  if (const auto* const value = std::get_if<bool>(&constant)) return Value::Bool(*value);
  if (const auto* const value = std::get_if<int64_t>(&constant)) return Value::Int(*value);
  if (const auto* const value = std::get_if<uint64_t>(&constant)) return Value::Uint(*value);
  if (const auto* const value = std::get_if<double>(&constant)) return Value::Double(*value);
  if (const auto* const value = std::get_if<std::string_view>(&constant)) {
    return Value::String(*value);
  }
  if (const auto* const value = std::get_if<syntax::Bytes>(&constant))
    return Value::Bytes(value->value);
  return {};
}

}  // namespace dray::cel::eval
