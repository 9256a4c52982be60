// SPDX-License-Identifier: Apache-2.0
#include "cel/batch/batch_selector.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/eval/program.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::batch {
namespace {

// With at most this many different values each is evaluated, even in leaves that only compare.
constexpr size_t kFewValues = 64;

// A column that a leaf reads. If the table has no such column, all devices lack it.
struct Input {
  const ColumnKey* key = nullptr;
  const Column* column = nullptr;

  size_t size() const { return column == nullptr ? 1 : column->size(); }
  Value ValueOf(size_t code) const { return column == nullptr ? Value() : column->values[code]; }
  size_t CodeAt(size_t lane) const {
    return column == nullptr ? 0 : DeviceTable::CodeAt(*column, lane);
  }
};

// Cost of an evaluation, besides what it charges itself.
constexpr uint64_t kWorkOfEvaluation = 64;

// How v compares with k; nothing if the two have no order.
std::optional<std::partial_ordering> Side(const Value& v, const Value& k) {
  if (v.is(ValueKind::kQuantity) && k.is(ValueKind::kQuantity))
    return v.quantity() <=> k.quantity();
  if (v.is(ValueKind::kSemver) && k.is(ValueKind::kSemver)) return v.semver() <=> k.semver();
  if (v.is_object() || k.is_object()) return std::nullopt;
  const Value less = Compare(v, k, Ordering::kLess);
  if (less.is_error()) return std::nullopt;
  if (less.is_true()) return std::partial_ordering::less;
  return Compare(v, k, Ordering::kGreater).is_true() ? std::partial_ordering::greater
                                                     : std::partial_ordering::equivalent;
}

class Run {
 public:
  Run(const eval::Program& program,
      std::span<const BatchNode> plan,
      const DeviceTable& table,
      Work& work)
      : program_(program),
        cost_max_(program.environment().cost_max),
        plan_(plan),
        table_(table),
        work_(work) {}

  // Returns false if some device might come near a limit, or if a part ends the evaluation of a
  // device. Then the outcomes of parts must not be combined.
  bool Evaluate(Outcomes& out) {
    Lanes all(table_.size());
    all.Fill();
    EvaluateNode(static_cast<uint32_t>(plan_.size() - 1), all, out);
    return !crashed_ && cost_bound_ <= cost_max_ && memory_bound_ <= kArenaBytesMax;
  }

  uint64_t cost_bound() const { return cost_bound_; }

 private:
  void EvaluateNode(uint32_t number, const Lanes& active, Outcomes& out) {
    const BatchNode& node = plan_[number];
    switch (node.kind) {
      case BatchKind::kAnd: return EvaluateLogic(node, active, /*decisive=*/false, out);
      case BatchKind::kOr: return EvaluateLogic(node, active, /*decisive=*/true, out);
      case BatchKind::kNot: return EvaluateNot(node, active, out);
      case BatchKind::kConditional: return EvaluateConditional(node, active, out);
      case BatchKind::kLeaf: return EvaluateLeaf(node, active, out);
    }
  }

  // And: true where all are true, false where one is false, an error elsewhere. Or is its mirror.
  void EvaluateLogic(const BatchNode& node, const Lanes& active, bool decisive, Outcomes& out) {
    Lanes open = active;  // lanes that are not decided yet
    Lanes failed(table_.size());
    Lanes decided(table_.size());
    for (const uint32_t child : node.children) {
      Outcomes part;
      EvaluateNode(child, open, part);
      for (size_t i = 0; i < open.words().size(); ++i) {
        const uint64_t matched = part.matched.words()[i];
        const uint64_t wrong = part.failed.words()[i];
        const uint64_t decides = open.words()[i] & (decisive ? matched : ~matched & ~wrong);
        decided.words()[i] |= decides;
        open.words()[i] &= ~decides;
        failed.words()[i] |= wrong;
      }
    }
    out.Reset(table_.size());
    for (size_t i = 0; i < open.words().size(); ++i) {
      const uint64_t fails = open.words()[i] & failed.words()[i];
      const uint64_t passes = open.words()[i] & ~fails;
      out.failed.words()[i] = fails;
      out.matched.words()[i] = decisive ? decided.words()[i] : passes;
    }
  }

  void EvaluateNot(const BatchNode& node, const Lanes& active, Outcomes& out) {
    cost_bound_ += 1;
    EvaluateNode(node.children[0], active, out);
    for (size_t i = 0; i < out.matched.words().size(); ++i) {
      out.matched.words()[i] = ~(out.matched.words()[i] | out.failed.words()[i]);
    }
    out.matched.TrimEnd();
  }

  void EvaluateConditional(const BatchNode& node, const Lanes& active, Outcomes& out) {
    Outcomes condition;
    EvaluateNode(node.children[0], active, condition);
    Lanes yes = active;
    Lanes no = active;
    for (size_t i = 0; i < yes.words().size(); ++i) {
      yes.words()[i] &= condition.matched.words()[i];
      no.words()[i] &= ~(condition.matched.words()[i] | condition.failed.words()[i]);
    }
    Outcomes then;
    Outcomes otherwise;
    EvaluateNode(node.children[1], yes, then);
    EvaluateNode(node.children[2], no, otherwise);
    out.Reset(table_.size());
    for (size_t i = 0; i < yes.words().size(); ++i) {
      const uint64_t y = yes.words()[i];
      const uint64_t n = no.words()[i];
      out.matched.words()[i] = (y & then.matched.words()[i]) | (n & otherwise.matched.words()[i]);
      out.failed.words()[i] = condition.failed.words()[i] | (y & then.failed.words()[i]) |
                              (n & otherwise.failed.words()[i]);
    }
  }

  void EvaluateLeaf(const BatchNode& leaf, const Lanes& active, Outcomes& out) {
    LeafCost cost;
    std::vector<Input> inputs;
    inputs.reserve(leaf.columns.size());
    for (const ColumnKey& key : leaf.columns) inputs.push_back({&key, table_.Find(key)});
    const bool is_manifold = inputs.size() > 1 && CountCombinations(inputs) > kCombinationsMax;
    if (leaf.reads_all || is_manifold) {
      EvaluateShapes(leaf, active, cost, out);
    } else if (inputs.empty()) {
      const Outcome outcome = EvaluateOn(leaf, Value(), cost);
      SetAll(outcome, out);
    } else if (inputs.size() == 1) {
      EvaluateColumn(leaf, inputs[0], cost, out);
    } else {
      EvaluateCombinations(leaf, inputs, active, cost, out);
    }
    cost_bound_ += cost.steps;
    memory_bound_ += cost.bytes;
  }

  // How many combinations of values there are; stops at one above the limit.
  static size_t CountCombinations(std::span<const Input> inputs) {
    size_t combinations = 1;
    for (const Input& input : inputs) {
      combinations *= std::min(input.size(), kCombinationsMax + 1);
      combinations = std::min(combinations, kCombinationsMax + 1);
    }
    return combinations;
  }

  // The highest cost of one evaluation.
  struct LeafCost {
    uint64_t steps = 0;
    size_t bytes = 0;
  };

  void SetAll(Outcome outcome, Outcomes& out) {
    out.Reset(table_.size());
    if (outcome == Outcome::kTrue) out.matched.Fill();
    if (outcome == Outcome::kError) out.failed.Fill();
  }
  static void SetLane(size_t lane, Outcome outcome, Outcomes& out) {
    if (outcome == Outcome::kTrue) out.matched.Add(lane);
    if (outcome == Outcome::kError) out.failed.Add(lane);
  }

  Outcome EvaluateOn(const BatchNode& leaf, const Value& device, LeafCost& cost) {
    if (work_.is_spent()) return Outcome::kError;
    Arena arena(work_);
    eval::Meter meter(cost_max_);
    const Value value = eval::EvaluatePart(program_, leaf.node, {&device, 1}, arena, meter);
    work_.Charge(kWorkOfEvaluation);
    cost.steps = std::max(cost.steps, meter.spent());
    cost.bytes = std::max(cost.bytes, arena.bytes());
    crashed_ = crashed_ || meter.halted();
    const Value* result = &value;
    while (leaf.is_result && result->is(ValueKind::kOptional) && result->optional() != nullptr) {
      result = result->optional();
    }
    if (!result->is(ValueKind::kBool)) return Outcome::kError;
    return result->boolean() ? Outcome::kTrue : Outcome::kFalse;
  }

  // A device with these values and nothing else.
  static Value DeviceOf(Arena& arena,
                        std::span<const Input> inputs,
                        std::span<const Value> values) {
    DeviceParts parts;
    std::vector<QualifiedValue> attributes;
    std::vector<QualifiedValue> capacity;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!values[i].is(ValueKind::kNull))
        AddPart(*inputs[i].key, values[i], parts, attributes, capacity);
    }
    SortQualified(attributes);
    SortQualified(capacity);
    parts.attributes = attributes;
    parts.capacity = capacity;
    return MakeDevice(arena, parts);
  }

  static void AddPart(const ColumnKey& key,
                      const Value& value,
                      DeviceParts& parts,
                      std::vector<QualifiedValue>& attributes,
                      std::vector<QualifiedValue>& capacity) {
    switch (key.field) {
      case Field::kDriver: parts.driver = value.text(); break;
      case Field::kAllowMultipleAllocations:
        parts.allow_multiple_allocations = value.boolean();
        break;
      case Field::kAttribute: attributes.push_back({key.domain, key.id, value}); break;
      case Field::kCapacity: capacity.push_back({key.domain, key.id, value}); break;
      case Field::kAttributeDomain: attributes.push_back({key.domain, kNoName, value}); break;
      case Field::kCapacityDomain: capacity.push_back({key.domain, kNoName, value}); break;
    }
  }

  Outcome EvaluateValue(const BatchNode& leaf,
                        const Input& input,
                        const Value& value,
                        LeafCost& cost) {
    Arena arena;
    return EvaluateOn(leaf, DeviceOf(arena, {&input, 1}, {&value, 1}), cost);
  }

  void EvaluateColumn(const BatchNode& leaf, const Input& input, LeafCost& cost, Outcomes& out) {
    const Outcome missing = EvaluateValue(leaf, input, Value(), cost);
    if (input.column == nullptr) return SetAll(missing, out);
    const Column& column = *input.column;
    const bool by_sides = leaf.compared_with.has_value() && column.size() > kFewValues;
    std::vector<OutcomeRun> runs;
    AddRun(runs, {0, 1, missing});
    for (const Column::KindRange& kind : column.kinds) {
      if (by_sides && !column.values[kind.first].is(ValueKind::kList)) {
        EvaluateBySides(leaf, input, kind, runs, cost);
        continue;
      }
      for (uint32_t code = kind.first; code < kind.last; ++code) {
        AddRun(runs, {code, code + 1, EvaluateValue(leaf, input, column.values[code], cost)});
      }
    }
    Scan(column, runs, out);
  }

  // Values of one kind are in order: those below the constant, equal to it and above it are three
  // runs at most, and one evaluation stands for each. Values of a kind that has no order with the
  // constant are all alike to it.
  void EvaluateBySides(const BatchNode& leaf,
                       const Input& input,
                       const Column::KindRange& kind,
                       std::vector<OutcomeRun>& runs,
                       LeafCost& cost) {
    // EvaluateColumn comes here for leaves that have a constant.
    const Value& constant = *leaf.compared_with;
    const std::span<const Value> values = input.column->values;
    std::array<uint32_t, 4> cuts = {kind.first, kind.last, kind.last, kind.last};
    if (Side(values[kind.first], constant).has_value()) {
      const auto first = values.begin() + kind.first;
      const auto last = values.begin() + kind.last;
      const auto equal = std::partition_point(
          first, last, [&](const Value& v) { return Side(v, constant).value() < 0; });
      const auto above = std::partition_point(
          equal, last, [&](const Value& v) { return Side(v, constant).value() <= 0; });
      cuts[1] = static_cast<uint32_t>(equal - values.begin());
      cuts[2] = static_cast<uint32_t>(above - values.begin());
    }
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] == cuts[i + 1]) continue;
      AddRun(runs, {cuts[i], cuts[i + 1], EvaluateValue(leaf, input, values[cuts[i]], cost)});
    }
    // What comparing costs follows from the lengths of texts: the longest stands for all.
    EvaluateValue(leaf, input, values[kind.longest], cost);
  }

  // Each combination of values that occurs among the active lanes is evaluated once.
  void EvaluateCombinations(const BatchNode& leaf,
                            std::span<const Input> inputs,
                            const Lanes& active,
                            LeafCost& cost,
                            Outcomes& out) {
    std::vector<std::optional<Outcome>> known(CountCombinations(inputs));
    std::vector<Value> values(inputs.size());
    out.Reset(table_.size());
    active.ForEach([&](size_t lane) {
      size_t combination = 0;
      for (const Input& input : inputs)
        combination = combination * input.size() + input.CodeAt(lane);
      if (!known[combination].has_value()) {
        for (size_t i = 0; i < inputs.size(); ++i) {
          values[i] = inputs[i].ValueOf(inputs[i].CodeAt(lane));
        }
        Arena arena;
        known[combination] = EvaluateOn(leaf, DeviceOf(arena, inputs, values), cost);
      }
      SetLane(lane, *known[combination], out);
    });
  }

  void EvaluateShapes(const BatchNode& leaf, const Lanes& active, LeafCost& cost, Outcomes& out) {
    std::vector<std::optional<Outcome>> known(table_.shapes());
    out.Reset(table_.size());
    active.ForEach([&](size_t lane) {
      std::optional<Outcome>& outcome = known[table_.ShapeOf(lane)];
      if (!outcome.has_value()) {
        Arena arena;
        const Value device =
            table_.DeviceOfShape(table_.ShapeOf(lane), program_.environment(), arena);
        outcome = EvaluateOn(leaf, device, cost);
      }
      SetLane(lane, *outcome, out);
    });
  }

  const eval::Program& program_;
  const uint64_t cost_max_;
  const std::span<const BatchNode> plan_;
  const DeviceTable& table_;
  Work& work_;
  bool crashed_ = false;     // some part ends the whole evaluation, which nothing absorbs
  uint64_t cost_bound_ = 0;  // no device takes more
  size_t memory_bound_ = 0;
};

}  // namespace

BatchSelector::BatchSelector(Selector selector)
    : selector_(std::move(selector)),
      plan_(MakeBatchPlan(selector_.program())),
      reads_(PartsReadBy(plan_)) {}

uint64_t BatchSelector::Evaluate(const DeviceTable& table, Outcomes& out) const {
  Work unlimited(Work::kUnlimited);
  return Evaluate(table, out, unlimited);
}

uint64_t BatchSelector::Evaluate(const DeviceTable& table, Outcomes& out, Work& work) const {
  Run run(selector_.program(), plan_, table, work);
  const bool added_up = run.Evaluate(out);
  const Lanes& broken = table.broken(selector_.program().environment());
  // Parts that were not evaluated might have ended the evaluation: then all is open.
  const bool is_known = added_up && !work.is_spent();
  const uint64_t bound = is_known ? run.cost_bound() : EvaluateWhole(table, out, work);
  for (size_t i = 0; i < out.matched.words().size(); ++i) {
    out.failed.words()[i] |= broken.words()[i];
    out.matched.words()[i] &= ~broken.words()[i];
  }
  return bound;
}

uint64_t BatchSelector::EvaluateWhole(const DeviceTable& table, Outcomes& out, Work& work) const {
  std::vector<std::optional<Outcome>> known(table.shapes());
  const Environment& environment = selector_.program().environment();
  uint64_t highest = 0;
  out.Reset(table.size());
  for (size_t lane = 0; lane < table.size(); ++lane) {
    std::optional<Outcome>& outcome = known[table.ShapeOf(lane)];
    if (!outcome.has_value() && work.is_spent()) outcome = Outcome::kError;
    if (!outcome.has_value()) {
      Arena arena;
      const Evaluation answer =
          selector_.Evaluate(table.DeviceOfShape(table.ShapeOf(lane), environment, arena), work);
      work.Charge(kWorkOfEvaluation);
      highest = std::max(highest, answer.cost);
      outcome = answer.error() != nullptr ? Outcome::kError
                : answer.matches()        ? Outcome::kTrue
                                          : Outcome::kFalse;
    }
    if (*outcome == Outcome::kTrue) out.matched.Add(lane);
    if (*outcome == Outcome::kError) out.failed.Add(lane);
  }
  return highest;
}

Evaluation BatchSelector::EvaluateLane(const DeviceTable& table, size_t lane) const {
  const Environment& environment = selector_.program().environment();
  if (table.broken(environment).Has(lane)) {
    return {.result = EvaluationError{table.ErrorOf(lane, environment)}};
  }
  Arena arena;
  return selector_.Evaluate(table.DeviceOfShape(table.ShapeOf(lane), environment, arena));
}

}  // namespace dray::cel::batch
