// SPDX-License-Identifier: Apache-2.0
// One walk over the tree, children first. For every node it computes four things:
//
//   cost     of evaluating it
//   path     which part of a variable it denotes, if any; that part's size may be declared
//   size     if the expression itself tells: of literals, results of functions, variables
//   entries  sizes of what is inside a list or map that the expression itself makes
//
// Macros have no nodes of their own upstream: they are loops over calls. Their cost is put together
// here from the same pieces, so that sizes flow through them alike: 1 for each mention of the
// hidden accumulator, 1 for each call, 10 for a list and 30 for a map.
//
// In 1.32 sizes do not flow through variables, dyn() and loops.
//
// Source: cel-go 0.22 and 0.29 checker/cost.go, parser/macro.go,
// ext/{bindings,comprehensions,lists}.go.
#include "cel/cost/estimate.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/cost/calls.h"
#include "cel/cost/device_sizes.h"
#include "cel/cost/paths.h"
#include "cel/syntax/utf8.h"

namespace dray::cel::cost {

using check::CheckedAst;
using check::Type;
using check::TypeKind;
using syntax::FoldKind;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

constexpr CostRange kOne = CostRange::Exactly(1);  // a variable, a selection, most calls
constexpr CostRange kListRange = CostRange::Exactly(10);
constexpr CostRange kMapCost = CostRange::Exactly(30);
constexpr CostRange kMessageCost = CostRange::Exactly(40);

// What a list or map holds. Keys of a list are its indexes.
struct EntrySizes {
  bool is_list = false;
  SizeRange key;
  SizeRange value;
};

std::optional<EntrySizes> Join(const std::optional<EntrySizes>& a,
                               const std::optional<EntrySizes>& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return EntrySizes{a->is_list, Join(a->key, b->key), Join(a->value, b->value)};
}

constexpr EntrySizes kEmptyList = {.is_list = true, .key = SizeRange::Exactly(1)};

struct Estimate {
  CostRange cost;
  const Type* type = nullptr;
  Path path;
  std::optional<SizeRange> size;
  std::optional<EntrySizes> entries;
  // The variable's name. Its size is looked up when it is needed, which may be after the end of its
  // scope: cel.bind(x, "a", x) has no known size.
  std::string_view variable;
  std::optional<int64_t> integer;  // of a literal
};

struct Variable {
  std::string_view name;
  Path path;
  std::optional<SizeRange> size;
  std::optional<EntrySizes> entries;
  // 1.32: the path is that of the range, and each mention of the variable extends it.
  std::string_view step = {};
};

class Estimator {
 public:
  Estimator(const CheckedAst& checked, const Environment& environment, const SizeSource& sizes)
      : checked_(checked),
        sizes_(sizes),
        rules_(environment.rules()),
        sizes_flow_(environment.since(api::Release::k1_33)) {}

  Estimate Visit(NodeId id) {
    const Node& node = At(id);
    switch (node.kind) {
      case NodeKind::kLiteral: return Literal(id, node.constant);
      case NodeKind::kIdentifier: return Mention(WithoutDot(node.name), TypeOf(id));
      case NodeKind::kSelect: return Select(id, node);
      case NodeKind::kHas:
        return {.cost = Visit(node.children[0]).cost, .type = TypeOf(id)};  // the test is free
      case NodeKind::kIndex: return Index(id, node);
      case NodeKind::kCall: return Call(id, node);
      case NodeKind::kConditional: {
        const Estimate condition = Visit(node.children[0]);
        Estimate yes = VisitSized(node.children[1]);
        Estimate no = VisitSized(node.children[2]);
        return Choice(condition.cost, yes, no, TypeOf(id));
      }
      case NodeKind::kAnd:
      case NodeKind::kOr: return Logic(id, node);
      case NodeKind::kList: return List(id, node);
      case NodeKind::kMap: return Map(id, node);
      case NodeKind::kMessage: return Message(id, node);
      case NodeKind::kFold: {
        Estimate range = Visit(node.children[0]);
        return Fold(range, node, TypeOf(id));
      }
      case NodeKind::kBind: {
        Estimate initial = Visit(node.children[0]);
        return Bind(node.name, initial, node.children[1], TypeOf(id));
      }
      case NodeKind::kOptMap: return OptMap(id, node);
      case NodeKind::kSortBy: return SortBy(id, node);
    }
    return {};
  }

 private:
  const Node& At(NodeId id) const { return checked_.ast[id]; }
  const Type* TypeOf(NodeId id) const { return checked_.facts[id].type; }

  static std::string_view WithoutDot(std::string_view name) {
    return name.starts_with('.') ? name.substr(1) : name;
  }

  // Sizes.

  const Variable* Find(std::string_view name) const {
    for (size_t i = variables_.size(); i > 0; --i) {
      if (variables_[i - 1].name == name) return &variables_[i - 1];
    }
    return nullptr;
  }

  const Variable* VariableOf(const Estimate& estimate) const {
    return sizes_flow_ && !estimate.variable.empty() ? Find(estimate.variable) : nullptr;
  }

  Path PathOf(const Estimate& estimate) const {
    const Variable* const variable = VariableOf(estimate);
    return variable != nullptr ? variable->path : estimate.path;
  }

  bool IsScalar(const Type& type) const {
    switch (type.kind) {
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kTimestamp:
      case TypeKind::kDuration: return true;
      case TypeKind::kWrapper: return IsScalar(*type.parameters[0]);
      case TypeKind::kOptional: return sizes_flow_ && IsScalar(*type.parameters[0]);
      case TypeKind::kError:
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kNull:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kType:
      case TypeKind::kObject:
      case TypeKind::kOpaque:
      case TypeKind::kParameter: break;
    }
    return false;
  }

  // A size that was found by the path stays, even if the path later denotes another part.
  std::optional<SizeRange> SizeOf(Estimate& estimate) {
    if (estimate.size.has_value()) return estimate.size;
    estimate.size = paths_.SizeOf(sizes_, PathOf(estimate));
    if (estimate.size.has_value()) return estimate.size;
    if (estimate.type != nullptr && IsScalar(*estimate.type)) return SizeRange::Exactly(1);
    const Variable* const variable = VariableOf(estimate);
    return variable != nullptr ? variable->size : std::nullopt;
  }

  SizeRange SizeOrUnknown(Estimate& estimate) {
    return SizeOf(estimate).value_or(SizeRange::Unknown());
  }

  std::optional<EntrySizes> EntriesOf(const Estimate& estimate) const {
    if (estimate.entries.has_value()) return estimate.entries;
    const Variable* const variable = VariableOf(estimate);
    return variable != nullptr ? variable->entries : std::nullopt;
  }

  // An argument of a call. Its size is computed before the next argument is visited.
  Estimate VisitSized(NodeId id) {
    Estimate out = Visit(id);
    SizeOf(out);
    return out;
  }

  Operand AsOperand(Estimate& estimate) {
    return {.type = estimate.type,
            .size = SizeOf(estimate),
            .element_size = paths_.SizeOf(sizes_, PathOf(estimate), kItemsStep),
            .integer = estimate.integer};
  }

  // Names, literals and access.

  Estimate Literal(NodeId id, const syntax::Constant& constant) const {
    Estimate out = {.type = TypeOf(id), .size = SizeRange::Exactly(1)};
    if (const auto* const text = std::get_if<std::string_view>(&constant)) {
      out.size = SizeRange::Exactly(syntax::CountCodePoints(*text));
    } else if (const auto* const bytes = std::get_if<syntax::Bytes>(&constant)) {
      out.size = SizeRange::Exactly(bytes->value.size());
    } else if (const auto* const integer = std::get_if<int64_t>(&constant)) {
      out.integer = *integer;
    }
    return out;
  }

  Estimate Mention(std::string_view name, const Type* type) {
    Estimate out = {.cost = kOne, .type = type, .variable = name};
    const Variable* const variable = Find(name);
    if (variable == nullptr) {
      out.path = paths_.Root(name);
    } else if (sizes_flow_) {
      out.path = variable->path;
    } else if (!variable->step.empty()) {
      out.path = paths_.Extend(variable->path, variable->step);
    }
    return out;
  }

  Estimate Select(NodeId id, const Node& node) {
    const Estimate operand = Visit(node.children[0]);
    if (node.optional) return {.cost = operand.cost + kOne, .type = TypeOf(id)};
    Estimate out = {.cost = operand.cost, .type = TypeOf(id)};
    if (operand.type->kind == TypeKind::kMap || operand.type->kind == TypeKind::kObject) {
      out.cost = out.cost + kOne;  // dyn, any and optionals: nothing
    }
    out.path = paths_.Extend(PathOf(operand), node.name);
    return out;
  }

  Estimate Index(NodeId id, const Node& node) {
    const Estimate operand = VisitSized(node.children[0]);
    const Estimate key = VisitSized(node.children[1]);
    Estimate out = {.cost = operand.cost + key.cost + kOne, .type = TypeOf(id)};
    if (node.optional) return out;
    // An operand that may be a list or a map is treated as a list, then as a map.
    for (const TypeKind container : {TypeKind::kList, TypeKind::kMap}) {
      for (const check::Overload* candidate : checked_.facts[id].candidates) {
        if (candidate->parameters[0]->kind != container) continue;
        out.path =
            paths_.Extend(PathOf(operand), container == TypeKind::kList ? kItemsStep : kValuesStep);
        const auto entries = EntriesOf(operand);
        if (sizes_flow_ && entries.has_value()) out.size = entries->value;
        if (sizes_flow_) SizeOf(out);
      }
    }
    return out;
  }

  // Calls.

  Estimate Call(NodeId id, const Node& node) {
    const check::NodeFacts& facts = checked_.facts[id];
    if (sizes_flow_ && facts.function->name == "dyn") {
      Estimate argument = Visit(node.children[0]);
      return {.cost = argument.cost + kOne,
              .type = TypeOf(id),
              .size = SizeOf(argument),
              .entries = EntriesOf(argument)};
    }
    const size_t first = node.is_member ? 1 : 0;
    std::vector<Operand> arguments;
    std::vector<Estimate> estimates;
    Estimate out = {.type = TypeOf(id)};
    for (size_t i = first; i < node.children.size(); ++i) {
      Estimate& argument = estimates.emplace_back(Visit(node.children[i]));
      arguments.push_back(AsOperand(argument));
      out.cost = out.cost + argument.cost;
    }
    std::optional<Operand> receiver;
    if (node.is_member) {  // upstream visits it last
      Estimate target = Visit(node.children[0]);
      receiver = AsOperand(target);
      out.cost = out.cost + target.cost;
    }
    AddCandidates(facts, receiver.has_value() ? &*receiver : nullptr, arguments, out);
    if (facts.function->name == "_+_" && out.size.has_value()) {
      out.entries = Join(EntriesOf(estimates[0]), EntriesOf(estimates[1]));
    }
    return out;
  }

  // The range that holds the estimates of all overloads that fit.
  void AddCandidates(const check::NodeFacts& facts,
                     const Operand* receiver,
                     std::span<const Operand> arguments,
                     Estimate& out) const {
    std::optional<CostRange> cost;
    for (const check::Overload* candidate : facts.candidates) {
      const CallEstimate estimate = EstimateCall({.function = *facts.function,
                                                  .overload = *candidate,
                                                  .receiver = receiver,
                                                  .arguments = arguments,
                                                  .rules = rules_});
      cost = cost.has_value() ? Join(*cost, estimate.cost) : estimate.cost;
      if (!estimate.result_size.has_value()) continue;
      out.size =
          out.size.has_value() ? Join(*out.size, *estimate.result_size) : *estimate.result_size;
    }
    out.cost = out.cost + cost.value_or(CostRange{});
  }

  // condition ? yes : no
  Estimate Choice(CostRange condition, Estimate& yes, Estimate& no, const Type* type) {
    return {.cost = condition + Join(yes.cost, no.cost),
            .type = type,
            .size = Join(SizeOrUnknown(yes), SizeOrUnknown(no)),
            .entries = sizes_flow_ ? Join(EntriesOf(yes), EntriesOf(no)) : std::nullopt};
  }

  // At least the first term is evaluated.
  Estimate Logic(NodeId id, const Node& node) {
    Estimate out = {.type = TypeOf(id)};
    bool first = true;
    for (const NodeId term : node.children) {
      const CostRange cost = Visit(term).cost;
      out.cost = first ? cost : CostRange{out.cost.min, SaturatingSum(out.cost.max, cost.max)};
      first = false;
    }
    return out;
  }

  // Literals of lists and maps.

  Estimate List(NodeId id, const Node& node) {
    Estimate out = {.cost = kListRange,
                    .type = TypeOf(id),
                    .size = SizeRange::Exactly(node.children.size()),
                    .entries = kEmptyList};
    for (size_t i = 0; i < node.children.size(); ++i) {
      Estimate element = Visit(node.children[i]);
      out.cost = out.cost + element.cost;
      const SizeRange size = SizeOrUnknown(element);
      out.entries->value = i == 0 ? size : Join(out.entries->value, size);
    }
    if (!sizes_flow_) out.entries.reset();
    return out;
  }

  Estimate Map(NodeId id, const Node& node) {
    Estimate out = {.cost = kMapCost,
                    .type = TypeOf(id),
                    .size = SizeRange::Exactly(node.children.size() / 2),
                    .entries = EntrySizes{}};
    for (size_t i = 0; i < node.children.size(); i += 2) {
      Estimate key = Visit(node.children[i]);
      Estimate value = Visit(node.children[i + 1]);
      out.cost = out.cost + key.cost + value.cost;
      const SizeRange key_size = SizeOrUnknown(key);
      const SizeRange value_size = SizeOrUnknown(value);
      out.entries->key = i == 0 ? key_size : Join(out.entries->key, key_size);
      out.entries->value = i == 0 ? value_size : Join(out.entries->value, value_size);
    }
    if (!sizes_flow_) out.entries.reset();
    return out;
  }

  Estimate Message(NodeId id, const Node& node) {
    Estimate out = {.cost = kMessageCost, .type = TypeOf(id)};
    for (size_t i = 1; i < node.children.size(); i += 2) {
      out.cost = out.cost + Visit(node.children[i]).cost;
    }
    return out;
  }

  // Macros.

  enum class Of : uint8_t { kKeys, kValues };

  // A variable for the keys or indexes, or for the values of `range`.
  Variable LoopVariable(std::string_view name, const Estimate& range, Of of) {
    Variable out = {.name = name};
    const auto entries = EntriesOf(range);
    if (entries.has_value()) out.size = of == Of::kKeys ? entries->key : entries->value;
    const std::string_view step = IsList(range) ? (of == Of::kKeys ? kIndexesStep : kItemsStep)
                                                : (of == Of::kKeys ? kKeysStep : kValuesStep);
    out.path = paths_.Extend(PathOf(range), step);
    return out;
  }

  bool IsList(const Estimate& range) const {
    const auto entries = EntriesOf(range);
    return entries.has_value() ? entries->is_list : range.type->kind == TypeKind::kList;
  }

  // 1.32 knows one variable: the elements of a list, the keys of a map, even where the macro has
  // indexes or values too.
  Variable OldLoopVariable(std::string_view name, const Estimate& range) const {
    Variable out = {.name = name, .path = range.path};
    if (range.type->kind == TypeKind::kList) out.step = kItemsStep;
    if (range.type->kind == TypeKind::kMap) out.step = kKeysStep;
    return out;
  }

  // Returns how many there are.
  size_t DeclareLoopVariables(std::string_view first,
                              std::string_view second,
                              const Estimate& range) {
    if (!sizes_flow_) {
      variables_.push_back(OldLoopVariable(first, range));
      return 1;
    }
    if (!second.empty()) {
      // The second looks at a range that the first may hide: m.all(m, v, …).
      variables_.push_back(LoopVariable(first, range, Of::kKeys));
      variables_.push_back(LoopVariable(second, range, Of::kValues));
      return 2;
    }
    variables_.push_back(LoopVariable(first, range, IsList(range) ? Of::kValues : Of::kKeys));
    return 1;
  }

  // A loop: what it costs before, in each round and after, and what it makes.
  struct Loop {
    CostRange initial;
    CostRange round;
    CostRange result = kOne;
    bool makes_container = false;
    std::optional<EntrySizes> entries;
  };

  // c ? accumulator with one more element : accumulator
  static CostRange Guarded(const std::optional<CostRange>& condition, CostRange step) {
    return condition.has_value() ? *condition + Join(step, kOne) : step;
  }

  Loop ListLoop(const std::optional<CostRange>& predicate, Estimate element) {
    // accumulator + [element]
    const CostRange step = kOne + kOne + kListRange + element.cost;
    EntrySizes entries = kEmptyList;
    entries.value = Join(entries.value, SizeOrUnknown(element));
    return {.initial = kListRange,
            .round = Guarded(predicate, step),
            .makes_container = true,
            .entries = entries};
  }

  Loop LoopOf(const Node& node) {
    std::optional<CostRange> predicate;
    if (node.children[1] != syntax::kNoNode) predicate = Visit(node.children[1]).cost;
    const CostRange condition = predicate.value_or(CostRange());
    switch (node.fold) {
      // not strictly false(accumulator), then accumulator && predicate
      case FoldKind::kAll:
        return {.round = kOne + kOne + CostRange{1, SaturatingSum(1, condition.max)}};
      case FoldKind::kExists:
        return {.round = kOne + kOne + kOne + CostRange{1, SaturatingSum(1, condition.max)}};
      case FoldKind::kExistsOne:
        return {.round = condition + Join(kOne + kOne, kOne), .result = kOne + kOne};
      case FoldKind::kMap: return ListLoop(predicate, Visit(node.children[2]));
      case FoldKind::kFilter: return ListLoop(predicate, Mention(node.name, ElementType(node)));
      case FoldKind::kTransformMap: {
        const CostRange key = Mention(node.name, nullptr).cost;
        const CostRange step = kOne + kOne + key + Visit(node.children[2]).cost;
        return {.initial = kMapCost, .round = Guarded(predicate, step), .makes_container = true};
      }
      case FoldKind::kTransformMapEntry: {
        const CostRange step = kOne + kOne + Visit(node.children[2]).cost;
        return {.initial = kMapCost, .round = Guarded(predicate, step), .makes_container = true};
      }
    }
    return {};
  }

  // The type of the variable of a filter: that of the elements of its range.
  const Type* ElementType(const Node& node) const {
    const Type* const range = TypeOf(node.children[0]);
    const bool known = range->kind == TypeKind::kList || range->kind == TypeKind::kMap;
    return known ? range->parameters[0] : nullptr;
  }

  Estimate Fold(Estimate& range, const Node& node, const Type* type) {
    const size_t variables = DeclareLoopVariables(node.name, node.name2, range);
    const Loop loop = LoopOf(node);
    variables_.resize(variables_.size() - variables);
    return Repeat(range, loop, type);
  }

  Estimate Repeat(Estimate& range, const Loop& loop, const Type* type) {
    const SizeRange rounds = SizeOrUnknown(range);
    Estimate out = {.cost = range.cost + loop.initial + loop.result + Times(rounds, loop.round),
                    .type = type};
    out.size = loop.makes_container || !sizes_flow_ ? rounds : SizeRange::Exactly(1);
    if (sizes_flow_) out.entries = loop.entries;
    return out;
  }

  // cel.bind is a loop over an empty list whose accumulator is the variable.
  Estimate Bind(std::string_view name, Estimate& initial, NodeId body, const Type* type) {
    const CostRange before = kListRange + initial.cost;
    if (!sizes_flow_) {
      return {.cost = before + Visit(body).cost, .type = type, .size = SizeRange::Exactly(0)};
    }
    Declare(name, initial);
    Estimate result = Visit(body);
    variables_.pop_back();
    return {.cost = before + result.cost,
            .type = type,
            .size = SizeOf(result),
            .entries = EntriesOf(result)};
  }

  void Declare(std::string_view name, Estimate& initial) {
    variables_.push_back({.name = name,
                          .path = PathOf(initial),
                          .size = SizeOf(initial),
                          .entries = EntriesOf(initial)});
  }

  // target.hasValue() ? optional.of(cel.bind(name, target.value(), body)) : optional.none()
  Estimate OptMap(NodeId id, const Node& node) {
    const Estimate target = Visit(node.children[0]);
    const Type* const inner =
        target.type->kind == TypeKind::kOptional ? target.type->parameters[0] : nullptr;
    Estimate value = {.cost = target.cost + kOne, .type = inner};
    Estimate some = Bind(node.name, value, node.children[1], TypeOf(id));
    if (!node.optional) some = {.cost = some.cost + kOne, .type = TypeOf(id)};
    Estimate none = {.cost = kOne, .type = TypeOf(id)};
    return Choice(target.cost + kOne, some, none, TypeOf(id));
  }

  // cel.bind(input, list, input.@sortByAssociatedKeys(input.map(name, key)))
  Estimate SortBy(NodeId id, const Node& node) {
    constexpr std::string_view kInput = "@__sortBy_input__";
    Estimate list = Visit(node.children[0]);
    Declare(kInput, list);
    Estimate input = Mention(kInput, list.type);
    const size_t variables = DeclareLoopVariables(node.name, {}, input);
    const Loop loop = ListLoop(std::nullopt, Visit(node.children[1]));
    variables_.resize(variables_.size() - variables);
    Estimate keys = Repeat(input, loop, nullptr);
    variables_.pop_back();
    Estimate out = {.cost = kListRange + list.cost + keys.cost + kOne, .type = TypeOf(id)};
    const Operand key_list = AsOperand(keys);
    AddCandidates(checked_.facts[id], nullptr, {&key_list, 1}, out);
    return out;
  }

  const CheckedAst& checked_;
  const SizeSource& sizes_;
  const api::Release rules_;
  const bool sizes_flow_;
  Paths paths_;
  std::vector<Variable> variables_;  // the innermost last; found by name, as upstream does
};

}  // namespace

CostRange EstimateCost(const CheckedAst& checked, const Environment& environment) {
  return EstimateCost(checked, environment, DeviceSizes());
}

CostRange EstimateCost(const CheckedAst& checked,
                       const Environment& environment,
                       const SizeSource& sizes) {
  return Estimator(checked, environment, sizes).Visit(checked.ast.root).cost;
}

}  // namespace dray::cel::cost
