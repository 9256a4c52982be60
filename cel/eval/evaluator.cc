// SPDX-License-Identifier: Apache-2.0
// Costs follow cel-go's observer: a path of selections and indexes is one attribute that costs 1
// for its root, if it stands as an operand of its own, and 1 for each qualifier that was tried.
// Folds charge what their general form would (a loop with an accumulator named @result).
#include "cel/eval/evaluator.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cel/eval/fold.h"
#include "cel/eval/qualifier.h"

namespace dray::cel {
namespace {

constexpr uint64_t kListCost = 10;
constexpr uint64_t kMapCost = 30;

enum class Root : uint8_t { kCounts, kIsFree };

class Evaluator final : public FoldHost {
 public:
  Evaluator(const Program& program, std::span<const Value> variables, Arena& arena, Meter& meter)
      : program_(program),
        ast_(program.ast()),
        variables_(variables),
        arena_(arena),
        meter_(meter),
        slots_(program.slots()) {}

  Value Run() {
    const Value result = Eval(ast_.root);
    if (meter_.exceeded()) {
      return Value::Error("operation cancelled: actual cost limit exceeded");
    }
    if (arena_.is_full()) return Value::Error("operation cancelled: memory limit exceeded");
    return result;
  }

  // FoldHost
  Value Eval(NodeId id) override {
    if (Stopped()) return Value::Error("operation cancelled");
    const Value* const constant = program_.plan(id).constant;
    if (constant != nullptr) return *constant;
    const Node& node = ast_[id];
    switch (node.kind) {
      case NodeKind::kLiteral: break;
      case NodeKind::kIdentifier:
      case NodeKind::kSelect:
      case NodeKind::kIndex: return EvalPath(id, Root::kCounts);
      case NodeKind::kHas: return EvalHas(node);
      case NodeKind::kCall: return EvalCall(id, node);
      case NodeKind::kConditional: return EvalConditional(node);
      case NodeKind::kAnd: return EvalLogic(node, /*decisive=*/false);
      case NodeKind::kOr: return EvalLogic(node, /*decisive=*/true);
      case NodeKind::kList: return EvalList(node);
      case NodeKind::kMap: return EvalMap(node);
      case NodeKind::kFold: return EvalFold(id, node);
      case NodeKind::kBind: return EvalBind(id, node);
      case NodeKind::kOptMap: return EvalOptMap(id, node);
    }
    return {};
  }
  bool Stopped() const override { return meter_.exceeded() || arena_.is_full(); }
  void SetVariable(uint32_t slot, const Value& value) override { slots_[slot] = {.value = value}; }
  bool IsConstant(NodeId id) const override { return program_.plan(id).constant != nullptr; }
  Meter& meter() override { return meter_; }
  Arena& arena() override { return arena_; }

 private:
  struct Slot {
    Value value;
    NodeId initial = kNoNode;  // of a bind that was not used yet
    uint64_t first_use_cost = 0;
  };

  // A bound expression is computed when it is first used, if at all.
  Value UseSlot(uint32_t index) {
    if (const NodeId initial = std::exchange(slots_[index].initial, kNoNode); initial != kNoNode) {
      const Value value = Eval(initial);
      slots_[index].value = value;
    }
    meter_.ChargeSteps(std::exchange(slots_[index].first_use_cost, 0));
    return slots_[index].value;
  }

  Value NameValue(NodeId id) {
    const NodeFacts& facts = program_.facts(id);
    if (facts.name_kind == NameKind::kLocal) return UseSlot(facts.slot);
    if (facts.name_kind == NameKind::kVariable && facts.slot < variables_.size()) {
      return variables_[facts.slot];
    }
    return MakeError(arena_, fmt::format("no such attribute(s): {}", ast_[id].name));
  }

  static bool IsPath(NodeKind kind) {
    return kind == NodeKind::kIdentifier || kind == NodeKind::kSelect || kind == NodeKind::kIndex ||
           kind == NodeKind::kConditional;
  }

  // An arm or key: a path there does not pay for its root.
  Value EvalInner(NodeId id) {
    if (program_.plan(id).constant != nullptr || !IsPath(ast_[id].kind)) return Eval(id);
    if (ast_[id].kind == NodeKind::kConditional) return EvalConditional(ast_[id]);
    return EvalPath(id, Root::kIsFree);
  }

  // The selections and indexes from the root to `id`, and the root.
  struct Path {
    NodeId root = kNoNode;
    std::vector<NodeId> qualifiers;
  };
  Path PathTo(NodeId id) const {
    Path path;
    while (program_.plan(id).constant == nullptr &&
           (ast_[id].kind == NodeKind::kSelect || ast_[id].kind == NodeKind::kIndex)) {
      path.qualifiers.push_back(id);
      id = ast_[id].children[0];
    }
    path.root = id;
    return path;
  }

  Value EvalRoot(NodeId id) {
    if (program_.plan(id).constant != nullptr) return Eval(id);
    if (ast_[id].kind == NodeKind::kIdentifier) return NameValue(id);
    return ast_[id].kind == NodeKind::kConditional ? EvalConditional(ast_[id]) : Eval(id);
  }

  Value EvalPath(NodeId id, Root root) {
    const Path path = PathTo(id);
    bool optional = false;
    Value value = EvalRoot(path.root);
    const bool present = Qualify(value, path, optional);
    const bool is_conditional = ast_[path.root].kind == NodeKind::kConditional;
    if (root == Root::kCounts && !is_conditional) meter_.Charge(1);
    if (value.is_error() || !optional) return value;
    return present ? MakeSome(arena_, value) : Value::None();
  }

  // Applies the qualifiers of `path` to `value`. From the first optional one on, what is missing
  // makes the whole path absent (returns false) instead of an error.
  bool Qualify(Value& value, const Path& path, bool& optional) {
    if (value.is(ValueKind::kOptional) && !path.qualifiers.empty()) {
      optional = true;
      if (value.optional() == nullptr) return false;
      value = *value.optional();
    }
    for (size_t i = path.qualifiers.size(); i > 0 && !value.is_error(); --i) {
      const Node& node = ast_[path.qualifiers[i - 1]];
      optional = optional || node.optional;
      const Value key =
          node.kind == NodeKind::kSelect ? Value::String(node.name) : EvalInner(node.children[1]);
      const Lookup found = key.is_error() ? Lookup{key, true} : LookUp(arena_, value, key);
      if (!found.present && optional) return false;
      meter_.Charge(1);
      value = found.present ? found.value : MissingPart(arena_, value, key);
    }
    return true;
  }

  Value EvalHas(const Node& node) {
    const Path path = PathTo(node.children[0]);
    bool optional = false;
    Value value = EvalRoot(path.root);
    const bool present = Qualify(value, path, optional);
    if (value.is_error()) return value;
    if (!present) return Value::Bool(false);
    if (value.is(ValueKind::kOptional)) {
      if (value.optional() == nullptr) return Value::Bool(false);
      value = *value.optional();
    }
    meter_.Charge(1);
    const Lookup found = LookUp(arena_, value, Value::String(node.name));
    if (found.present && found.value.is_error()) return found.value;
    return Value::Bool(found.present);
  }

  Value EvalConditional(const Node& node) {
    const Value condition = Eval(node.children[0]);
    if (condition.is_error()) return condition;
    if (!condition.is(ValueKind::kBool)) return NoSuchOverload();
    return EvalInner(node.children[condition.boolean() ? 1 : 2]);
  }

  // && (decisive: false) and || (decisive: true): the decisive value wins over errors on both
  // sides.
  Value EvalLogic(const Node& node, bool decisive) {
    Value result = Value::Bool(!decisive);
    for (const NodeId term : node.children) {
      Value value = Eval(term);
      if (Stopped()) return value;
      if (value.is(ValueKind::kBool) && value.boolean() == decisive) return value;
      if (!value.is(ValueKind::kBool) && !value.is_error()) value = NoSuchOverload();
      if (!result.is_error() && value.is_error()) result = value;
    }
    return result;
  }

  // Evaluates an entry; false if it is an optional one without a value.
  bool EvalEntry(const Node& node, size_t entry, NodeId id, Value& out) {
    out = Eval(id);
    if (entry >= node.optional_entries.size() || !node.optional_entries[entry]) return true;
    if (out.is_error()) return true;
    if (!out.is(ValueKind::kOptional)) {
      out = NoSuchOverload();
      return true;
    }
    if (out.optional() == nullptr) return false;
    out = *out.optional();
    return true;
  }

  Value EvalList(const Node& node) {
    std::vector<Value> items;
    for (size_t i = 0; i < node.children.size(); ++i) {
      Value value;
      if (!EvalEntry(node, i, node.children[i], value)) continue;
      if (value.is_error()) {
        meter_.Charge(kListCost);
        return value;
      }
      items.push_back(value);
    }
    meter_.Charge(kListCost);
    return MakeList(arena_, items);
  }

  Value EvalMap(const Node& node) {
    std::vector<MapEntry> entries;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      MapEntry entry{.key = Eval(node.children[i]), .value = {}};
      const bool present =
          entry.key.is_error() || EvalEntry(node, i / 2, node.children[i + 1], entry.value);
      if (entry.key.is_error() || entry.value.is_error()) {
        meter_.Charge(kMapCost);
        return entry.key.is_error() ? entry.key : entry.value;
      }
      if (present) entries.push_back(entry);
    }
    meter_.Charge(kMapCost);
    return MakeMap(arena_, entries);
  }

  Value EvalCall(NodeId id, const Node& node) {
    const std::string_view name = node.name;
    if (name == "orValue" || name == "or") return EvalOr(node, name);
    if (name == "@in") {
      const Value* const set = program_.plan(node.children[1]).constant;
      if (set != nullptr && program_.facts(id).overload != nullptr && IsScalarList(*set)) {
        return EvalInConstants(node, set->list());
      }
    }
    const NodePlan& plan = program_.plan(id);
    std::array<Value, kArgumentsMax> buffer;
    size_t count = 0;
    Value error;
    for (const NodeId child : node.children) {
      buffer[count] = Eval(child);
      if (buffer[count].is_error()) {
        // With three arguments or more, or a pattern compiled ahead, an error ends the call before
        // the next argument; then the call itself costs nothing.
        const bool stops = node.children.size() >= 3 || plan.pattern != nullptr;
        if (stops && count + 1 < node.children.size()) return buffer[count];
        if (!error.is_error()) error = buffer[count];
      }
      ++count;
    }
    const std::span<const Value> arguments(buffer.data(), count);
    const Builtin& builtin = *plan.builtin;
    const Value result = error.is_error() ? error : Call(id, builtin, arguments);
    const bool is_unique = program_.facts(id).overload != nullptr;
    meter_.Charge(CallCost(builtin.cost, is_unique, arguments, result));
    return result;
  }

  Value Call(NodeId id, const Builtin& builtin, std::span<const Value> arguments) {
    const NodePlan& plan = program_.plan(id);
    if (builtin.wrong_types == WrongTypes::kSignature) {
      const Function& function = *program_.facts(id).function;
      if (!AcceptsValues(function, arguments)) return WrongArguments(function.name, arguments);
    }
    if (plan.pattern != nullptr) {
      return ApplyRegex(builtin.name, *plan.pattern, arena_, arguments);
    }
    return builtin.call(arena_, arguments);
  }

  Value WrongArguments(std::string_view function, std::span<const Value> arguments) {
    std::string types;
    for (const Value& argument : arguments) {
      if (!types.empty()) types += ", ";
      types += TypeName(argument);
    }
    return MakeError(arena_, fmt::format("no such overload: {}({})", function, types));
  }

  // The argument of or and orValue is evaluated only if the receiver has no value.
  Value EvalOr(const Node& node, std::string_view name) {
    const Value receiver = Eval(node.children[0]);
    if (receiver.is_error()) return receiver;
    if (!receiver.is(ValueKind::kOptional)) return NoSuchOverload();
    if (receiver.optional() == nullptr) return Eval(node.children[1]);
    return name == "or" ? receiver : *receiver.optional();
  }

  static bool IsScalarList(const Value& value) {
    if (!value.is(ValueKind::kList)) return false;
    for (const Value& item : value.list().items) {
      if (!IsScalarKey(item.kind())) return false;
    }
    return true;
  }

  Value EvalInConstants(const Node& node, const List& set) {
    if (set.items.empty()) return Value::Bool(false);
    const Value wanted = Eval(node.children[0]);
    if (wanted.is_error()) return wanted;
    for (const Value& item : set.items) {
      if (Equal(wanted, item).is_true()) return Value::Bool(true);
    }
    return Value::Bool(false);
  }

  Value EvalFold(NodeId id, const Node& node) {
    const Value range = Eval(node.children[0]);
    if (range.is_error()) return range;
    return Fold(*this, node, program_.facts(id).slot, range);
  }

  Value EvalBind(NodeId id, const Node& node) {
    slots_[program_.facts(id).slot] = {.value = {}, .initial = node.children[0]};
    return Eval(node.children[1]);
  }

  // o.hasValue() ? optional.of(bind(x, o.value(), body)) : optional.none(), where o is computed
  // once but paid for as often as it is written.
  Value EvalOptMap(NodeId id, const Node& node) {
    const uint64_t before = meter_.spent();
    const Value target = Eval(node.children[0]);
    const uint64_t cost = meter_.spent() - before;
    meter_.Charge(1);
    if (target.is_error()) return target;
    if (!target.is(ValueKind::kOptional)) {
      return WrongArguments("hasValue", std::span<const Value>(&target, 1));
    }
    if (target.optional() == nullptr) {
      meter_.Charge(1);
      return Value::None();
    }
    slots_[program_.facts(id).slot] = {.value = *target.optional(), .first_use_cost = cost + 1};
    const Value body = node.optional ? EvalInner(node.children[1]) : Eval(node.children[1]);
    if (node.optional) return body;
    meter_.Charge(1);
    return body.is_error() ? body : MakeSome(arena_, body);
  }

  // No function of the environment takes more.
  static constexpr size_t kArgumentsMax = 5;

  const Program& program_;
  const Ast& ast_;
  const std::span<const Value> variables_;
  Arena& arena_;
  Meter& meter_;
  std::vector<Slot> slots_;
};

}  // namespace

Value Evaluate(const Program& program,
               std::span<const Value> variables,
               Arena& arena,
               Meter& meter) {
  return Evaluator(program, variables, arena, meter).Run();
}

}  // namespace dray::cel
