// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cel/eval/result_type.h"
#include "cel/syntax/parser.h"

namespace dray::cel {

// Walks the checked tree once, children first. Only literals and unary conversions of constants are
// computed ahead: folding more would change costs, and errors that evaluation may skip.
class Planner {
 public:
  Planner(Program& program, const Environment& environment, std::vector<SourceError>& errors)
      : program_(program), environment_(environment), errors_(errors) {}

  void Plan(NodeId id) {
    const Node& node = program_.ast()[id];
    for (const NodeId child : node.children) {
      if (child != kNoNode) Plan(child);
    }
    switch (node.kind) {
      case NodeKind::kLiteral: SetConstant(id, LiteralValue(node.constant)); break;
      case NodeKind::kIdentifier:
        if (program_.facts(id).name_kind == NameKind::kTypeName) {
          PlanTypeName(id, WithoutDot(node.name));
        }
        break;
      case NodeKind::kCall: PlanCall(id, node); break;
      case NodeKind::kList: PlanList(id, node); break;
      case NodeKind::kMap: PlanMap(id, node); break;
      case NodeKind::kIndex: PlanIndex(node); break;
      case NodeKind::kSelect:
      case NodeKind::kHas:
      case NodeKind::kConditional:
      case NodeKind::kAnd:
      case NodeKind::kOr:
      case NodeKind::kFold:
      case NodeKind::kBind:
      case NodeKind::kOptMap: break;
    }
  }

  /// "program instantiation failed: …", or empty.
  const std::string& failure() const { return failure_; }

 private:
  static std::string_view WithoutDot(std::string_view name) {
    return name.starts_with('.') ? name.substr(1) : name;
  }

  void SetConstant(NodeId id, const Value& value) {
    program_.plans_[id].constant = program_.constants_.Keep(value);
  }
  const Value* ConstantOf(NodeId id) const { return program_.plan(id).constant; }

  static Value LiteralValue(const Constant& constant) {
    if (const auto* const value = std::get_if<bool>(&constant)) return Value::Bool(*value);
    if (const auto* const value = std::get_if<int64_t>(&constant)) return Value::Int(*value);
    if (const auto* const value = std::get_if<uint64_t>(&constant)) return Value::Uint(*value);
    if (const auto* const value = std::get_if<double>(&constant)) return Value::Double(*value);
    if (const auto* const value = std::get_if<std::string>(&constant)) return Value::String(*value);
    if (const auto* const value = std::get_if<Bytes>(&constant)) return Value::Bytes(value->value);
    return {};
  }

  void FailProgram(std::string_view message) {
    if (failure_.empty()) failure_ = fmt::format("program instantiation failed: {}", message);
  }

  static bool IsLazy(std::string_view name) { return name == "or" || name == "orValue"; }

  // The type of the device is declared, but no value stands for it.
  void PlanTypeName(NodeId id, std::string_view name) {
    if (name == "kubernetes.DRADevice") {
      return FailProgram(fmt::format("reference to undefined type: {}", name));
    }
    SetConstant(id, Value::Type(name));
  }

  void PlanCall(NodeId id, const Node& node) {
    const std::string_view name = WithoutDot(node.name);
    NodePlan& plan = program_.plans_[id];
    plan.builtin = FindBuiltin(name, environment_);
    if (plan.builtin == nullptr && !IsLazy(name)) {
      errors_.push_back({node.offset, fmt::format("not supported yet: function {}", name)});
      return;
    }
    if (IsRegexFunction(name) && node.children.size() > 1) PlanPattern(plan, node, name);
    if (IsUnaryConversion(name) && node.children.size() == 1) Fold(id, node, *plan.builtin);
  }

  void PlanPattern(NodePlan& plan, const Node& node, std::string_view name) {
    const Value* const pattern = ConstantOf(node.children[1]);
    if (pattern == nullptr || !pattern->is(ValueKind::kString)) return;
    auto compiled = CompileRegex(pattern->text());
    if (compiled.has_value()) {
      plan.pattern = *std::move(compiled);
    } else if (name == "matches" && program_.ast()[node.children[1]].kind == NodeKind::kLiteral) {
      errors_.push_back({program_.ast()[node.children[1]].offset, "invalid matches argument"});
    } else {
      FailProgram(compiled.error().message);
    }
  }

  static bool IsUnaryConversion(std::string_view name) {
    return std::ranges::any_of(ConversionBuiltins(),
                               [&](const Builtin& builtin) { return builtin.name == name; });
  }

  void Fold(NodeId id, const Node& node, const Builtin& conversion) {
    const Value* const argument = ConstantOf(node.children[0]);
    if (argument == nullptr) return;
    const std::span<const Value> arguments(argument, 1);
    if (!AcceptsValues(*program_.facts(id).function, arguments)) {
      return FailProgram(
          fmt::format("no such overload: {}({})", conversion.name, TypeName(*argument)));
    }
    const Value result = conversion.call(program_.constants_, arguments);
    if (result.is_error()) return FailProgram(result.text());
    SetConstant(id, result);
  }

  void PlanList(NodeId id, const Node& node) {
    if (!node.optional_entries.empty()) return;
    std::vector<Value> items;
    for (const NodeId child : node.children) {
      if (ConstantOf(child) == nullptr) return;
      items.push_back(*ConstantOf(child));
    }
    SetConstant(id, MakeList(program_.constants_, items));
  }

  // Keys of other types than these are legal upstream and mean nothing for devices.
  void CheckKeyType(NodeId key) {
    switch (program_.facts(key).type->kind) {
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError:
      case TypeKind::kParameter:
      case TypeKind::kNull:
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kString: return;
      case TypeKind::kBytes:
      case TypeKind::kTimestamp:
      case TypeKind::kDuration:
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kType:
      case TypeKind::kOptional:
      case TypeKind::kObject:
      case TypeKind::kOpaque: break;
    }
    errors_.push_back({program_.ast()[key].offset,
                       fmt::format("not supported yet: map key of type {}",
                                   DeclaredName(*program_.facts(key).type))});
  }

  void PlanMap(NodeId id, const Node& node) {
    for (size_t i = 0; i < node.children.size(); i += 2) CheckKeyType(node.children[i]);
    if (!node.optional_entries.empty()) return;
    for (const NodeId child : node.children) {
      if (ConstantOf(child) == nullptr) return;
    }
    std::vector<MapEntry> entries;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      entries.push_back({*ConstantOf(node.children[i]), *ConstantOf(node.children[i + 1])});
    }
    SetConstant(id, MakeMap(program_.constants_, entries));
  }

  void PlanIndex(const Node& node) {
    const Value* const key = ConstantOf(node.children[1]);
    if (key == nullptr || IsScalarKey(key->kind())) return;
    FailProgram(fmt::format("invalid qualifier type: {}", GoTypeName(*key)));
  }

  Program& program_;
  const Environment& environment_;
  std::vector<SourceError>& errors_;
  std::string failure_;
};

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
  Ast ast = Parse(expression, errors);
  if (!errors.empty()) return refuse(CompileStage::kParse);
  CheckedAst checked = Check(std::move(ast), environment, scope, errors);
  if (!errors.empty()) return refuse(CompileStage::kCheck);
  auto program = std::make_shared<Program>(std::move(checked));
  Planner planner(*program, environment, errors);
  planner.Plan(program->ast().root);
  if (!errors.empty()) return refuse(CompileStage::kValidate);
  if (auto problem = ResultProblem(program->result_type(), environment); problem.has_value()) {
    return std::unexpected(
        CompileError{.stage = CompileStage::kResult, .message = *std::move(problem)});
  }
  if (!planner.failure().empty()) {
    return std::unexpected(
        CompileError{.stage = CompileStage::kProgram, .message = planner.failure()});
  }
  return program;
}

}  // namespace dray::cel
