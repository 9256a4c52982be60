// SPDX-License-Identifier: Apache-2.0
// Each fold stands for a general comprehension (condition, step, result over an accumulator named
// @result) and charges exactly the cost of its nodes, one by one, so that the count is upstream's
// even where the limit ends the loop.
#include "cel/eval/fold.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cel/library/qualifier.h"
#include "cel/value/make.h"

namespace dray::cel::eval {

using syntax::FoldKind;
using syntax::Node;

namespace {

constexpr uint64_t kFoldedListCost = 10;
constexpr uint64_t kWorkOfRound = 8;

struct Element {
  Value first;
  Value second;
};

class FoldRun {
 public:
  FoldRun(FoldHost& host, const Node& node, uint32_t slot, const Value& range)
      : host_(host), node_(node), slot_(slot), range_(range), work_(host.arena().work()) {}

  Value Run() {
    if (!range_.is(ValueKind::kList) && !range_.is(ValueKind::kMap)) return NotIterable();
    switch (node_.fold) {
      case FoldKind::kAll: return Logic(/*decisive=*/false, /*condition_steps=*/2);
      case FoldKind::kExists: return Logic(/*decisive=*/true, /*condition_steps=*/3);
      case FoldKind::kExistsOne: return ExistsOne();
      case FoldKind::kMap:
      case FoldKind::kFilter: return Collect();
      case FoldKind::kTransformMap: return CollectMap(/*entries=*/false);
      case FoldKind::kTransformMapEntry: return CollectMap(/*entries=*/true);
    }
    return {};
  }

 private:
  bool has_two_variables() const { return !node_.name2.empty(); }
  syntax::NodeId predicate() const { return node_.children[1]; }
  syntax::NodeId transform() const { return node_.children[2]; }

  Value NotIterable() {
    return MakeError(
        host_.arena(),
        has_two_variables()
            ? fmt::format("unsupported comprehension range type: {}", GoTypeName(range_))
            : fmt::format("got '{}', expected iterable type", GoTypeName(range_)));
  }

  size_t size() const {
    return range_.is(ValueKind::kList) ? range_.list().size() : range_.map().entries().size();
  }

  Element At(size_t index) const {
    if (range_.is(ValueKind::kMap)) {
      const MapEntry& entry = range_.map().entries()[index];
      return {entry.key, entry.value};
    }
    const Value item = range_.list().At(index);
    if (has_two_variables()) return {Value::Int(static_cast<int64_t>(index)), item};
    return {item, Value()};
  }

  void Enter(size_t index) {
    work_.Charge(kWorkOfRound);
    const Element element = At(index);
    host_.SetVariable(slot_, element.first);
    if (has_two_variables()) host_.SetVariable(slot_ + 1, element.second);
  }

  // all and exists. An error of one element is dropped when another element decides.
  Value Logic(bool decisive, uint64_t condition_steps) {
    Value result = Value::Bool(!decisive);
    for (size_t i = 0; i < size() && !host_.Stopped(); ++i) {
      host_.meter().ChargeSteps(condition_steps);
      if (result.is(ValueKind::kBool) && result.boolean() == decisive) break;
      host_.meter().Charge(1);
      Enter(i);
      Value value = host_.Eval(predicate());
      if (!value.is(ValueKind::kBool) && !value.is_error()) value = NoSuchOverload();
      if (value.is(ValueKind::kBool) && value.boolean() == decisive) {
        result = value;
      } else if (!result.is_error()) {
        result = value.is_error() ? value : result;
      }
    }
    host_.meter().Charge(1);
    return result;
  }

  // Evaluates the predicate, if there is one. True if the element counts. An error, or a predicate
  // that is not a bool, replaces `result`.
  bool Passes(Value& result) {
    if (predicate() == syntax::kNoNode) return true;
    const Value value = host_.Eval(predicate());
    if (!value.is(ValueKind::kBool)) result = value.is_error() ? value : NoSuchOverload();
    return value.is_true();
  }

  Value ExistsOne() {
    int64_t count = 0;
    Value error;
    for (size_t i = 0; i < size() && !host_.Stopped(); ++i) {
      Enter(i);
      if (!Passes(error)) continue;
      host_.meter().ChargeSteps(2);
      ++count;
    }
    host_.meter().ChargeSteps(2);
    return error.is_error() ? error : Value::Bool(count == 1);
  }

  // map and filter: @result + [x].
  Value Collect() {
    ValueBuffer items(host_.arena());
    Value error;
    const bool is_filter = node_.fold == FoldKind::kFilter;
    const uint64_t list_cost = !is_filter && host_.IsConstant(transform()) ? 0 : kFoldedListCost;
    for (size_t i = 0; i < size() && !host_.Stopped(); ++i) {
      Enter(i);
      if (!Passes(error)) continue;
      host_.meter().Charge(1);
      if (is_filter) host_.meter().Charge(1);
      const Value item = is_filter ? At(i).first : host_.Eval(transform());
      host_.meter().Charge(list_cost);
      host_.meter().Charge(1);
      if (!error.is_error() && item.is_error()) error = item;
      if (!error.is_error()) items.Add(item);
    }
    host_.meter().Charge(1);
    return error.is_error() ? error : AdoptList(host_.arena(), items.items());
  }

  // transformMap: cel.@mapInsert(@result, key, value); transformMapEntry: cel.@mapInsert(@result,
  // m).
  Value CollectMap(bool entries) {
    Value error;
    for (size_t i = 0; i < size() && !host_.Stopped(); ++i) {
      Enter(i);
      if (!Passes(error)) continue;
      host_.meter().Charge(1);
      // A call of three arguments ends at its first error.
      if (!entries && error.is_error()) continue;
      if (!entries) host_.meter().Charge(1);
      const Value value = host_.Eval(transform());
      host_.meter().Charge(1);
      if (error.is_error()) continue;
      if (value.is_error()) {
        error = value;
        continue;
      }
      error = entries ? InsertAll(value) : Insert({At(i).first, value});
    }
    host_.meter().Charge(1);
    return error.is_error() ? error : MakeMap(host_.arena(), collected_);
  }

  // The error, or null.
  Value InsertAll(const Value& map) {
    if (map.is_error()) return map;
    if (!map.is(ValueKind::kMap)) return NoSuchOverload();
    for (const MapEntry& entry : map.map().entries()) {
      if (work_.is_spent()) break;
      const Value error = Insert(entry);
      if (error.is_error()) return error;
    }
    return {};
  }

  Value Insert(const MapEntry& entry) {
    if (collected_.size() >= kWeightMax) return Value::Error("map too big");
    work_.Charge(uint64_t{std::bit_width(collected_.size())} *
                 WorkOfComparing(entry.key, entry.key));
    const auto place = std::ranges::lower_bound(collected_, entry.key, KeyLess, &MapEntry::key);
    if (place != collected_.end() && !KeyLess(entry.key, place->key)) {
      return MakeError(
          host_.arena(),
          fmt::format("insert failed: key {} already exists", library::KeyText(entry.key)));
    }
    const auto moved = static_cast<size_t>(collected_.end() - place);
    work_.Charge(WorkOfBytes(moved * sizeof(MapEntry)));
    collected_.insert(place, entry);
    return {};
  }

  FoldHost& host_;
  const Node& node_;
  const uint32_t slot_;
  const Value range_;
  Work& work_;
  std::vector<MapEntry> collected_;
};

}  // namespace

Value Fold(FoldHost& host, const Node& node, uint32_t slot, const Value& range) {
  return FoldRun(host, node, slot, range).Run();
}

}  // namespace dray::cel::eval
