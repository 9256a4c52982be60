// SPDX-License-Identifier: Apache-2.0
// Costs are those that cel-go counts: a path of selections and indexes is one attribute. It costs 1
// for each step that was tried, and 1 for its root if the path is an operand by itself. A fold
// costs what its general form would (a loop with an accumulator named @result).
#include "cel/eval/evaluator.h"

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cel/check/checked_ast.h"
#include "cel/eval/conversion_problem.h"
#include "cel/eval/fold.h"
#include "cel/eval/messages.h"
#include "cel/eval/meter.h"
#include "cel/library/operators.h"
#include "cel/library/qualifier.h"
#include "cel/library/registry.h"
#include "cel/value/equality.h"
#include "cel/value/make.h"

namespace dray::cel::eval {

using library::LookupResult;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

enum class Root : uint8_t { kCounts, kIsFree };

class Evaluator final : public FoldHost {
 public:
  Evaluator(const Program& program, std::span<const Value> variables, Arena& arena, Meter& meter)
      : program_(program),
        nodes_(program.ast().nodes.data()),
        plans_(&program.plan(0)),
        variables_(variables),
        arena_(arena),
        meter_(meter),
        work_(arena.work()) {
    if (program.slots() > 0) slots_ = arena.NewArray<Slot>(program.slots());
  }

  Value Run(NodeId node) {
    const Value result = Eval(node);
    if (meter_.halted()) return crash_;
    if (meter_.exceeded()) {
      return Value::Error("operation cancelled: actual cost limit exceeded");
    }
    if (arena_.is_full()) return Value::Error("operation cancelled: memory limit exceeded");
    if (work_.is_spent()) return Value::Error("operation cancelled: work limit exceeded");
    return result;
  }

  Value Eval(NodeId id) override {
    const NodePlan& plan = PlanOf(id);
    if (plan.operation == Operation::kConstant) return plan.value;
    work_.Charge(kWorkOfNode);
    if (Stopped()) return Value::Error("operation cancelled");
    switch (plan.operation) {
      case Operation::kConstant: return plan.value;
      case Operation::kPrepared: meter_.Charge(plan.prepared_cost); return plan.value;
      case Operation::kPath: return EvalPath(plan, Root::kCounts);
      case Operation::kField: return EvalField(plan, Root::kCounts);
      case Operation::kDeepPath: return EvalDeepPath(plan, Root::kCounts);
      case Operation::kHas: return EvalHas(plan);
      case Operation::kEquals: return EvalEquals(nodes_[id]);
      case Operation::kInConstants: return EvalInConstants(nodes_[id], plan.value.list());
      case Operation::kCall: return EvalCall(id, plan);
      case Operation::kShortCall: return EvalShortCall(id, plan);
      case Operation::kOr: return EvalOr(nodes_[id]);
      case Operation::kFragileCall: return EvalFragileCall(id, plan);
      case Operation::kByKind: return EvalByKind(id, nodes_[id]);
    }
    return {};
  }
  bool Stopped() const override {
    return meter_.exceeded() || work_.is_spent() || arena_.is_full();
  }
  void SetVariable(uint32_t slot, const Value& value) override { slots_[slot] = {.value = value}; }
  bool IsConstant(NodeId id) const override { return PlanOf(id).operation == Operation::kConstant; }
  Meter& meter() override { return meter_; }
  Arena& arena() override { return arena_; }

 private:
  const NodePlan& PlanOf(NodeId id) const { return plans_[id]; }

  struct Slot {
    Value value;
    NodeId initial = syntax::kNoNode;  // of a bind that was not used yet
    uint64_t first_use_cost = 0;
  };

  [[gnu::noinline]] Value EvalByKind(NodeId id, const Node& node) {
    switch (node.kind) {
      case NodeKind::kConditional: return EvalConditional(node);
      case NodeKind::kAnd: return EvalLogic(node, /*decisive=*/false);
      case NodeKind::kOr: return EvalLogic(node, /*decisive=*/true);
      case NodeKind::kList: return EvalList(node);
      case NodeKind::kMap: return EvalMap(node);
      case NodeKind::kMessage: return EvalMessage(id, node);
      case NodeKind::kFold: return EvalFold(id, node);
      case NodeKind::kBind: return EvalBind(id, node);
      case NodeKind::kOptMap: return EvalOptMap(id, node);
      case NodeKind::kSortBy: return EvalSortBy(id, node);
      case NodeKind::kLiteral:
      case NodeKind::kIdentifier:
      case NodeKind::kSelect:
      case NodeKind::kHas:
      case NodeKind::kIndex:
      case NodeKind::kCall: break;
    }
    return {};
  }

  // A bound expression is computed when it is first used, if at all.
  Value UseSlot(uint32_t index) {
    if (const NodeId initial = std::exchange(slots_[index].initial, syntax::kNoNode);
        initial != syntax::kNoNode) {
      const Value value = Eval(initial);
      slots_[index] = {.value = AsAccumulator(value)};
    }
    meter_.ChargeSteps(std::exchange(slots_[index].first_use_cost, 0));
    return slots_[index].value;
  }

  Value NameValue(NodeId id) {
    const check::NodeFacts& facts = program_.facts(id);
    if (facts.name_kind == check::NameKind::kLocal) return UseSlot(facts.slot);
    if (facts.name_kind == check::NameKind::kVariable && facts.slot < variables_.size()) {
      return variables_[facts.slot];
    }
    return MakeError(arena_, fmt::format("no such attribute(s): {}", nodes_[id].name));
  }

  // An arm of a conditional, or a key: a path there does not pay for its root.
  Value EvalInner(NodeId id) {
    const NodePlan& plan = PlanOf(id);
    if (plan.operation == Operation::kPath) return EvalPath(plan, Root::kIsFree);
    if (plan.operation == Operation::kField) return EvalField(plan, Root::kIsFree);
    if (plan.operation == Operation::kDeepPath) return EvalDeepPath(plan, Root::kIsFree);
    return Eval(id);
  }

  Value EvalRoot(NodeId id) {
    return PlanOf(id).operation == Operation::kPath ? NameValue(id) : Eval(id);
  }

  [[gnu::noinline]] Value EvalPath(const NodePlan& plan, Root root) {
    bool optional = false;
    Value value = EvalRoot(plan.root);
    const bool present = Qualify(value, plan.path, optional);
    if (root == Root::kCounts && !IsConditional(nodes_[plan.root].kind)) meter_.Charge(1);
    if (value.is_error() || !optional) return value;
    return present ? MakeSome(arena_, value) : Value::None();
  }

  // Three steps at once, if the variable is a map that knows them.
  Value EvalField(const NodePlan& plan, Root root) {
    if (plan.variable >= variables_.size()) return EvalPath(plan, root);
    const Value& variable = variables_[plan.variable];
    if (!variable.is(ValueKind::kMap)) return EvalPath(plan, root);
    const PathStep& step = *plan.path.data();
    const Value* const found = variable.map().FindText(step.key.text(), step.hash);
    if (found == nullptr) return EvalPath(plan, root);
    meter_.ChargeSteps(root == Root::kCounts ? 2 : 1);
    return *found;
  }

  Value EvalDeepPath(const NodePlan& plan, Root root) {
    if (plan.variable >= variables_.size()) return EvalPath(plan, root);
    const Value& variable = variables_[plan.variable];
    const DeepIndex* const deep = variable.is(ValueKind::kMap) ? variable.map().deep : nullptr;
    if (deep == nullptr) return EvalPath(plan, root);
    const Value* const found = deep->Find(*plan.deep);
    if (found == nullptr) return EvalPath(plan, root);
    meter_.ChargeSteps(root == Root::kCounts ? kDeepSteps + 1 : kDeepSteps);
    return *found;
  }

  LookupResult LookUpStep(const Value& container, const PathStep& step, const Value& key) {
    if (step.hash != 0 && container.is(ValueKind::kMap)) {
      const Value* const found = container.map().FindText(key.text(), step.hash);
      return found != nullptr ? LookupResult{*found, true} : LookupResult{};
    }
    if (container.is(ValueKind::kMap)) work_.Charge(container.map().WorkOfFinding(key));
    return library::LookUp(arena_, container, key);
  }

  // Applies the steps of `path` to `value`. From the first optional one on, what is missing makes
  // the whole path absent (returns false) instead of an error.
  bool Qualify(Value& value, std::span<const PathStep> path, bool& optional) {
    if (value.is(ValueKind::kOptional) && !path.empty()) {
      optional = true;
      if (value.optional() == nullptr) return false;
      value = *value.optional();
    }
    for (const PathStep& step : path) {
      if (value.is_error()) break;
      optional = optional || step.optional;
      work_.Charge(kWorkOfTerm);
      const Value key = step.key_node == syntax::kNoNode ? step.key : EvalInner(step.key_node);
      const LookupResult found =
          key.is_error() ? LookupResult{key, true} : LookUpStep(value, step, key);
      if (!found.present && optional) return false;
      // An optional step costs something only if it finds something.
      if (!optional || !found.value.is_error()) meter_.Charge(1);
      value = found.present ? found.value : library::MissingPart(arena_, value, key);
    }
    return true;
  }

  // has() itself is free: upstream takes back the 1 for the root of the path, even where the root
  // is ?:, for which nothing was charged.
  [[gnu::noinline]] Value EvalHas(const NodePlan& plan) {
    const Value result = EvalPresence(plan);
    if (IsConditional(nodes_[plan.root].kind)) meter_.TakeBack();
    return result;
  }

  static bool IsConditional(NodeKind kind) {
    return kind == NodeKind::kConditional || kind == NodeKind::kOptMap;
  }

  Value EvalPresence(const NodePlan& plan) {
    bool optional = false;
    Value value = EvalRoot(plan.root);
    const bool present = Qualify(value, plan.path.first(plan.path.size() - 1), optional);
    if (value.is_error()) return value;
    if (!present) return Value::Bool(false);
    if (value.is(ValueKind::kOptional) && plan.path.size() == 1) {
      optional = true;
      if (value.optional() == nullptr) return Value::Bool(false);
      value = *value.optional();
    }
    const LookupResult found = LookUpStep(value, plan.path.back(), plan.path.back().key);
    const bool fails = found.present && found.value.is_error();
    if (!optional || (found.present && !fails)) meter_.Charge(1);
    return fails ? found.value : Value::Bool(found.present);
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
      work_.Charge(kWorkOfTerm);
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
    work_.Charge(WorkOfItems(node.children.size()));
    ValueBuffer items(arena_);
    for (size_t i = 0; i < node.children.size(); ++i) {
      Value value;
      if (!EvalEntry(node, i, node.children[i], value)) continue;
      if (value.is_error()) {
        meter_.Charge(kListCost);
        return value;
      }
      items.Add(value);
    }
    meter_.Charge(kListCost);
    return AdoptList(arena_, items.items());
  }

  Value EvalMap(const Node& node) {
    work_.Charge(WorkOfItems(node.children.size()));
    const std::span<MapEntry> entries = arena_.NewEntries(node.children.size() / 2);
    size_t count = 0;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      MapEntry entry{.key = Eval(node.children[i]), .value = {}};
      const bool present =
          entry.key.is_error() || EvalEntry(node, i / 2, node.children[i + 1], entry.value);
      if (entry.key.is_error() || entry.value.is_error()) {
        meter_.Charge(kMapCost);
        return entry.key.is_error() ? entry.key : entry.value;
      }
      // Upstream takes the key away, which an empty map of Go words in its own way.
      if (!CanBeKey(entry.key.kind()) && !present && count == 0) {
        return Crash(fmt::format("hash of unhashable type: {}", GoTypeName(entry.key)));
      }
      if (!CanBeKey(entry.key.kind())) return CrashAsKey(entry.key);
      if (!present) entry.value = Value::Error("taken away");
      entries[count++] = entry;
    }
    meter_.Charge(kMapCost);
    return MakeMap(arena_, entries.first(count));
  }

  // An entry M{?f: e} whose value is not an optional has its own error.
  [[gnu::noinline]] Value EvalMessage(NodeId id, const Node& node) {
    work_.Charge(WorkOfItems(8 * (1 + node.children.size())));
    std::vector<FieldValue> fields;
    Value result;
    for (size_t i = 0; i < node.children.size() && !result.is_error(); i += 2) {
      FieldValue field{.name = std::get<std::string_view>(nodes_[node.children[i]].constant),
                       .value = Eval(node.children[i + 1]),
                       .type = program_.facts(node.children[i]).type};
      const bool is_optional =
          !node.optional_entries.empty() && node.optional_entries[i / 2] && !field.value.is_error();
      if (is_optional && !field.value.is(ValueKind::kOptional)) {
        result =
            MakeError(arena_,
                      fmt::format("cannot initialize optional entry '{}' from non-optional value",
                                  field.name));
      } else if (field.value.is_error()) {
        result = field.value;
      } else if (!is_optional || field.value.optional() != nullptr) {
        if (is_optional) field.value = Value(*field.value.optional());
        fields.push_back(field);
      }
    }
    const check::Literals literals = program_.facts(id).literals;
    if (!result.is_error()) result = MakeMessage(arena_, node.name, literals, fields);
    meter_.Charge(kMessageCost);
    return result;
  }

  // The same as Eval, but faster for the most common operands.
  Value EvalOperand(NodeId id) {
    const NodePlan& plan = PlanOf(id);
    if (plan.operation == Operation::kConstant) return plan.value;
    if (plan.operation == Operation::kDeepPath) return EvalDeepPath(plan, Root::kCounts);
    if (plan.operation == Operation::kField) return EvalField(plan, Root::kCounts);
    return Eval(id);
  }

  // Functions with local arrays are not inlined into Eval: the compiler would add its stack
  // protector to Eval.
  [[gnu::noinline]] Value EvalEquals(const Node& node) {
    const std::array arguments = {EvalOperand(node.children[0]), EvalOperand(node.children[1])};
    Value result;
    if (arguments[0].is_error()) {
      result = arguments[0];
    } else {
      result = arguments[1].is_error() ? arguments[1] : Equal(arguments[0], arguments[1], work_);
    }
    ChargeCost(library::CostRule::kEquality, arguments, result);
    return result;
  }

  [[gnu::noinline]] Value EvalCall(NodeId id, const NodePlan& plan) {
    const std::span<const NodeId> children = nodes_[id].children;
    std::array<Value, kArgumentsMax> usual;
    std::span<Value> buffer = usual;
    if (children.size() > usual.size()) buffer = arena_.NewValues(children.size());
    size_t count = 0;
    Value error;
    for (const NodeId child : children) {
      buffer[count] = Eval(child);
      if (buffer[count].is_error()) {
        // Then the call itself costs nothing.
        if (plan.stops_at_error && count + 1 < children.size()) return buffer[count];
        if (!error.is_error()) error = buffer[count];
      }
      ++count;
    }
    const std::span<const Value> arguments(buffer.data(), count);
    const Value result = error.is_error() ? error : Call(id, plan, arguments);
    ChargeCost(plan.cost, arguments, result);
    return result;
  }

  // Ends the evaluation where upstream panics. Unlike an error, || and && do not absorb it.
  [[gnu::noinline]] Value Crash(std::string_view problem) {
    if (Stopped()) return Value::Error("operation cancelled");
    crash_ = MakeError(arena_, fmt::format("internal error: {}", problem));
    meter_.Halt();
    return crash_;
  }

  Value CrashAsKey(const Value& value) {
    return Crash(fmt::format("runtime error: hash of unhashable type {}", GoTypeName(value)));
  }

  Value CrashAsList(const Value& value) { return Crash(ListerProblem(value)); }

  // distinct and sort need a list, flatten a depth.
  [[gnu::noinline]] Value EvalFragileCall(NodeId id, const NodePlan& plan) {
    const std::span<const NodeId> children = nodes_[id].children;
    std::array<Value, 2> buffer;
    buffer[0] = EvalOperand(children[0]);
    if (children.size() > 1) buffer[1] = EvalOperand(children[1]);
    if (Stopped()) return buffer[0];
    const bool is_flatten = children.size() > 1;
    if (is_flatten && !buffer[1].is(ValueKind::kInt)) {
      return Crash(
          fmt::format("interface conversion: ref.Val is {}, not types.Int", GoTypeName(buffer[1])));
    }
    if (!is_flatten && !buffer[0].is(ValueKind::kList)) return CrashAsList(buffer[0]);
    const std::span<const Value> arguments(buffer.data(), children.size());
    const Value result = buffer[0].is_error() ? buffer[0] : Call(id, plan, arguments);
    ChargeCost(plan.cost, arguments, result);
    return result;
  }

  // Nearly all calls: one or two arguments, all of them evaluated.
  [[gnu::noinline]] Value EvalShortCall(NodeId id, const NodePlan& plan) {
    const std::span<const NodeId> children = nodes_[id].children;
    std::array<Value, 2> buffer;
    buffer[0] = EvalOperand(children[0]);
    if (children.size() > 1) buffer[1] = EvalOperand(children[1]);
    const std::span<const Value> arguments(buffer.data(), children.size());
    Value result;
    if (buffer[0].is_error()) {
      result = buffer[0];
    } else {
      result = buffer[1].is_error() ? buffer[1] : Call(id, plan, arguments);
    }
    ChargeCost(plan.cost, arguments, result);
    return result;
  }

  // Finding out what a call costs is work as well: characters are counted.
  void ChargeCost(library::CostRule rule, std::span<const Value> arguments, const Value& result) {
    if (rule == library::CostRule::kOne) return meter_.Charge(1);
    work_.Charge(library::WorkOfCallCost(rule, arguments));
    meter_.Charge(library::CallCost(rule, arguments, result));
  }

  // Some calls take time in proportion to a cost that is known beforehand. A call that would exceed
  // the limit is charged but not computed.
  bool IsTooExpensive(const NodePlan& plan, std::span<const Value> arguments) const {
    if (!plan.is_expensive) return false;
    return library::CallCost(plan.cost, arguments, Value()) > meter_.left();
  }

  Value Call(NodeId id, const NodePlan& plan, std::span<const Value> arguments) {
    if (IsTooExpensive(plan, arguments)) return Value::Error("operation cancelled");
    if (plan.checks_signature && !plan.HasExpectedKinds(arguments)) {
      const check::NodeFacts& facts = program_.facts(id);
      if (!library::AcceptsValues(*facts.function, arguments, facts.overload)) {
        return WrongArguments(arena_, facts.function->name, arguments);
      }
    }
    if (plan.special != nullptr) return CallSpecial(id, *plan.special, arguments);
    if (plan.call == nullptr) return NotImplemented(arena_, nodes_[id].name, arguments);
    return plan.call(arena_, arguments);
  }

  [[gnu::noinline]] Value CallSpecial(NodeId id,
                                      const SpecialCall& call,
                                      std::span<const Value> arguments) {
    if (call.zoned_call != nullptr) {
      return call.zoned_call(arena_, arguments, program_.environment().time_zones);
    }
    return library::ApplyRegex(nodes_[id].name, *call.pattern, arena_, arguments);
  }

  // The argument of or and orValue is evaluated only if the receiver has no value. Up to 1.36 a
  // receiver that is not an optional is the result itself.
  Value EvalOr(const Node& node) {
    const Value receiver = Eval(node.children[0]);
    if (receiver.is_error()) return receiver;
    if (!receiver.is(ValueKind::kOptional)) {
      const bool strict = program_.environment().since(api::Release::kNewest);
      return strict ? NoSuchOverload() : receiver;
    }
    if (receiver.optional() == nullptr) return Eval(node.children[1]);
    return node.name == "or" ? receiver : *receiver.optional();
  }

  Value EvalInConstants(const Node& node, const List& set) {
    const Value wanted = EvalOperand(node.children[0]);
    if (wanted.is_error()) return wanted;
    if (!CanBeKey(wanted.kind())) return CrashAsKey(wanted);  // the set is a map there
    return Value::Bool(library::HasEqual(set.items(), wanted, work_));
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
      return WrongArguments(arena_, "hasValue", std::span<const Value>(&target, 1));
    }
    if (target.optional() == nullptr) {
      meter_.Charge(1);
      return Value::None();
    }
    slots_[program_.facts(id).slot] = {.value = AsAccumulator(*target.optional()),
                                       .first_use_cost = cost + 1};
    const Value body = Eval(node.children[1]);
    if (node.optional) return body;
    meter_.Charge(1);
    return body.is_error() ? body : MakeSome(arena_, body);
  }

  // cel.bind(@input, list, @input.@sortByAssociatedKeys(@input.map(x, key)))
  Value EvalSortBy(NodeId id, const Node& node) {
    const NodePlan& plan = PlanOf(id);
    const Value list = Eval(node.children[0]);
    meter_.Charge(1);
    const Value keys = SortKeys(id, node, list);
    const std::array arguments = {list, keys};
    if (plan.is_unique) {
      if (!list.is(ValueKind::kList)) return CrashAsList(list);
      if (!keys.is(ValueKind::kList)) return CrashAsList(keys);
    }
    const Value result = keys.is_error() ? keys : Call(id, plan, arguments);
    ChargeCost(plan.cost, arguments, result);
    return result;
  }

  Value SortKeys(NodeId id, const Node& node, const Value& list) {
    meter_.Charge(1);
    if (list.is_error()) return list;
    const std::array<NodeId, 3> children = {syntax::kNoNode, syntax::kNoNode, node.children[1]};
    return Fold(*this, MapNode(node, children), program_.facts(id).slot, list);
  }
  static Node MapNode(const Node& node, std::span<const NodeId> children) {
    Node map = node;
    map.kind = NodeKind::kFold;
    map.fold = syntax::FoldKind::kMap;
    map.children = children;
    return map;
  }

  // No function of the environment takes more; calls that no checker saw may have more.
  static constexpr size_t kArgumentsMax = 5;
  static constexpr size_t kDeepSteps = 3;

  const Program& program_;
  const Node* const nodes_;      // by NodeId
  const NodePlan* const plans_;  // by NodeId
  const std::span<const Value> variables_;
  Arena& arena_;
  Meter& meter_;
  Work& work_;
  std::span<Slot> slots_;
  Value crash_;  // if the meter was halted
};

}  // namespace

Value Evaluate(const Program& program,
               std::span<const Value> variables,
               Arena& arena,
               Meter& meter) {
  return Evaluator(program, variables, arena, meter).Run(program.ast().root);
}

Value EvaluatePart(const Program& program,
                   NodeId node,
                   std::span<const Value> variables,
                   Arena& arena,
                   Meter& meter) {
  return Evaluator(program, variables, arena, meter).Run(node);
}

}  // namespace dray::cel::eval
