// SPDX-License-Identifier: Apache-2.0
// Functions of lists: those of Kubernetes, version 3 of the lists extension, sets, includes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cel/library/builtin.h"
#include "cel/library/operators.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/equality.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

// As HasEqual, but in the direction item == wanted.
bool Includes(std::span<const Value> items, const Value& wanted, Work& work) {
  for (const Value& item : items) {
    if (work.is_spent()) break;
    if (Equal(item, wanted, work).is_true()) return true;
  }
  return false;
}

// Comparisons that fail count as "in order".
Value IsSorted(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items();
  for (size_t i = 0; i < items.size() && !arena.work().is_spent(); ++i) {
    if (!HasOrder(items[i].kind())) return NoSuchOverload();
    if (i == 0) continue;
    arena.work().Charge(WorkOfComparing(items[i - 1], items[i]));
    if (Compare(items[i - 1], items[i], Ordering::kGreater).is_true()) return Value::Bool(false);
  }
  return Value::Bool(true);
}

// The first item that no other one beats.
template <Ordering worse>
Value Extreme(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items();
  if (items.empty()) {
    return Value::Error(worse == Ordering::kGreater ? "min called on empty list"
                                                    : "max called on empty list");
  }
  Value best = items[0];
  for (const Value& item : items) {
    if (arena.work().is_spent()) break;
    if (!HasOrder(item.kind())) return NoSuchOverload();
    arena.work().Charge(WorkOfComparing(best, item));
    if (Compare(best, item, worse).is_true()) best = item;
  }
  return best;
}

bool CanAdd(const Value& value) {
  return value.is(ValueKind::kInt) || value.is(ValueKind::kUint) || value.is(ValueKind::kDouble) ||
         value.is(ValueKind::kDuration) || value.is(ValueKind::kTimestamp) ||
         value.is(ValueKind::kString) || value.is(ValueKind::kBytes) || value.is(ValueKind::kList);
}

// What an addition of values of this kind starts with. Lists of unknown type start with that of
// their first item.
Value ZeroOf(ValueKind kind) {
  if (kind == ValueKind::kUint) return Value::Uint(0);
  if (kind == ValueKind::kDouble) return Value::Double(0);
  return kind == ValueKind::kDuration ? Value::Duration(0) : Value::Int(0);
}

Value SumFrom(Arena& arena, std::span<const Value> items, const Value& zero) {
  Value sum = zero;
  arena.work().Charge(2 * WorkOfItems(items.size()));
  for (const Value& item : items) {
    if (!CanAdd(item)) return NoSuchOverload();
    sum = AddValues(arena, sum, item);
    if (sum.is_error()) return sum;
  }
  return sum;
}

Value Sum(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items();
  return SumFrom(arena, items, ZeroOf(items.empty() ? ValueKind::kInt : items[0].kind()));
}

template <ValueKind kind>
Value SumOf(Arena& arena, Arguments arguments) {
  return SumFrom(arena, arguments[0].list().items(), ZeroOf(kind));
}

Value Slice(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items();
  const int64_t start = arguments[1].integer();
  const int64_t end = arguments[2].integer();
  if (start < 0 || end < 0) {
    return MakeError(
        arena, fmt::format("cannot slice({}, {}), negative indexes not supported", start, end));
  }
  if (start > end) {
    return MakeError(
        arena,
        fmt::format("cannot slice({}, {}), start index must be less than or equal to end index",
                    start,
                    end));
  }
  if (std::cmp_greater(end, items.size())) {
    return MakeError(
        arena, fmt::format("cannot slice({}, {}), list is length {}", start, end, items.size()));
  }
  return MakeList(arena,
                  items.subspan(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

Value Reverse(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items();
  arena.work().Charge(WorkOfItems(items.size()));
  const std::span<Value> reversed = arena.NewValues(items.size());
  std::ranges::reverse_copy(items, reversed.begin());
  return AdoptList(arena, reversed);
}

Value Distinct(Arena& arena, Arguments arguments) {
  ValueBuffer kept(arena);
  for (const Value& item : arguments[0].list().items()) {
    if (arena.work().is_spent()) break;
    if (!HasEqual(kept.items(), item, arena.work())) kept.Add(item);
  }
  return AdoptList(arena, kept.items());
}

// Sorts `places`, numbers of keys, by the keys. Up to a dozen of them are sorted by insertion, as
// upstream does, which keeps the order of equal ones; upstream's order of more is not fixed.
void SortPlaces(std::span<uint64_t> places, std::span<const Value> keys) {
  constexpr size_t kInsertionMax = 12;
  const auto less = [keys](uint64_t a, uint64_t b) {
    return Compare(keys[a], keys[b], Ordering::kLess).is_true();
  };
  if (places.size() > kInsertionMax) {
    // A heap also works with keys that have no order (NaN).
    const auto before = [&](uint64_t a, uint64_t b) {
      return less(a, b) || (!less(b, a) && a < b);
    };
    std::ranges::make_heap(places, before);
    std::ranges::sort_heap(places, before);
    return;
  }
  for (size_t i = 1; i < places.size(); ++i) {
    for (size_t j = i; j > 0 && less(places[j], places[j - 1]); --j) {
      std::swap(places[j], places[j - 1]);
    }
  }
}

Value SortByKeys(Arena& arena, std::span<const Value> items, std::span<const Value> keys) {
  if (items.size() != keys.size()) {
    return MakeError(arena,
                     fmt::format("@sortByAssociatedKeys() expected a list of the same size as the "
                                 "associated keys list, but got {} and {} elements respectively",
                                 items.size(),
                                 keys.size()));
  }
  if (!keys.empty() && !HasOrder(keys[0].kind())) {
    return Value::Error("list elements must be comparable");
  }
  for (const Value& key : keys) {
    if (key.kind() != keys[0].kind()) {
      return Value::Error("list elements must have the same type");
    }
  }
  const uint64_t rounds = 4 * uint64_t{std::bit_width(keys.size())};
  for (const Value& key : keys) arena.work().Charge(4 + rounds * WorkOfComparing(key, key));
  if (arena.work().is_spent()) return Value::Error("operation cancelled");
  const std::span<uint64_t> places = arena.NewNumbers(keys.size());
  // NOLINTNEXTLINE(modernize-use-ranges): libstdc++ 12 has no ranges::iota
  std::iota(places.begin(), places.end(), uint64_t{0});
  SortPlaces(places, keys);
  const std::span<Value> sorted = arena.NewValues(items.size());
  std::ranges::transform(places, sorted.begin(), [items](uint64_t i) { return items[i]; });
  return AdoptList(arena, sorted);
}

// Texts and times have methods, so that upstream looks for one more.
Value NoSort(ValueKind kind) {
  const bool has_methods =
      kind == ValueKind::kString || kind == ValueKind::kTimestamp || kind == ValueKind::kDuration;
  return has_methods ? NoSuchOverload() : Value::Error("no such overload: sort");
}

Value Sort(Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kList)) return NoSort(arguments[0].kind());
  const std::span<const Value> items = arguments[0].list().items();
  return SortByKeys(arena, items, items);
}

// What the macro sortBy calls.
Value SortByAssociatedKeys(Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kList) || !arguments[1].is(ValueKind::kList)) {
    return Value::Error("no such overload: @sortByAssociatedKeys");
  }
  return SortByKeys(arena, arguments[0].list().items(), arguments[1].list().items());
}

bool FlattenInto(ValueBuffer& out, std::span<const Value> items, int64_t depth, Work& work) {
  work.Charge(WorkOfItems(items.size()));
  for (const Value& item : items) {
    if (depth > 0 && item.is(ValueKind::kList)) {
      if (!FlattenInto(out, item.list().items(), depth - 1, work)) return false;
    } else {
      out.Add(item);
    }
    if (out.size() > kWeightMax) return false;
  }
  return true;
}

std::string_view FullTypeName(const Value& value) {
  if (value.is(ValueKind::kMap)) return "map(dyn, dyn)";
  return value.is(ValueKind::kOptional) ? "optional_type(dyn)" : TypeName(value);
}

Value Flatten(Arena& arena, Arguments arguments) {
  const bool has_depth = arguments.size() > 1;
  if (!arguments[0].is(ValueKind::kList) || (has_depth && !arguments[1].is(ValueKind::kInt))) {
    return MakeError(arena,
                     fmt::format("no such overload: {}.flatten({})",
                                 FullTypeName(arguments[0]),
                                 has_depth ? TypeName(arguments[1]) : ""));
  }
  const int64_t depth = has_depth ? arguments[1].integer() : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  ValueBuffer out(arena);
  FlattenInto(out, arguments[0].list().items(), depth, arena.work());
  return AdoptList(arena, out.items());
}

// May be longer than other lists: the cost of making one ends the evaluation soon enough.
constexpr int64_t kRangeMax = 1'000'000;

Value MakeRange(Arena& arena, int64_t size) {
  if (size > kRangeMax) return Value::Error("list too long");
  arena.work().Charge(WorkOfItems(static_cast<size_t>(size)));
  const std::span<Value> numbers = arena.NewValues(static_cast<size_t>(size));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = Value::Int(static_cast<int64_t>(i));
  return Value::FromList(arena.Keep(List{.made = numbers, .weight = 1 + numbers.size()}));
}

Value Range(Arena& arena, Arguments arguments) {
  const int64_t size = arguments[0].integer();
  if (size < 0) {
    return MakeError(arena, fmt::format("lists.range: size must be non-negative, got {}", size));
  }
  if (size <= kRangeMax) return MakeRange(arena, size);
  return MakeError(
      arena, fmt::format("lists.range: size {} exceeds maximum allowed ({})", size, kRangeMax));
}

Value RangeUntil36(Arena& arena, Arguments arguments) {
  return MakeRange(arena, std::max<int64_t>(arguments[0].integer(), 0));
}

Value First(Arena& arena, Arguments arguments) {
  const List& list = arguments[0].list();
  return list.empty() ? Value::None() : MakeSome(arena, list.At(0));
}

Value Last(Arena& arena, Arguments arguments) {
  const List& list = arguments[0].list();
  return list.empty() ? Value::None() : MakeSome(arena, list.At(list.size() - 1));
}

bool HoldsAll(const Value& list, const Value& wanted, Work& work) {
  return std::ranges::all_of(wanted.list().items(), [&](const Value& item) {
    return HasEqual(list.list().items(), item, work);
  });
}

Value SetContains(Arena& arena, Arguments arguments) {
  return Value::Bool(HoldsAll(arguments[0], arguments[1], arena.work()));
}

Value SetEquivalent(Arena& arena, Arguments arguments) {
  return Value::Bool(HoldsAll(arguments[0], arguments[1], arena.work()) &&
                     HoldsAll(arguments[1], arguments[0], arena.work()));
}

Value SetIntersects(Arena& arena, Arguments arguments) {
  for (const Value& item : arguments[0].list().items()) {
    if (arena.work().is_spent()) break;
    if (HasEqual(arguments[1].list().items(), item, arena.work())) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value IncludesValue(Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kList)) {
    return Value::Bool(Equal(arguments[0], arguments[1], arena.work()).is_true());
  }
  return Value::Bool(Includes(arguments[0].list().items(), arguments[1], arena.work()));
}

// The first version compared no more items than a device may have values of one attribute.
Value IncludesValueIn36(Arena& arena, Arguments arguments) {
  constexpr size_t kItemsMax = 48;
  if (!arguments[0].is(ValueKind::kList)) return IncludesValue(arena, arguments);
  const std::span<const Value> items = arguments[0].list().items();
  if (Includes(items.first(std::min(items.size(), kItemsMax)), arguments[1], arena.work())) {
    return Value::Bool(true);
  }
  if (items.size() <= kItemsMax) return Value::Bool(false);
  return Value::Error("'includes' function cannot be applied to lists longer than 48 values");
}

constexpr auto kListsBuiltins = std::to_array<Builtin>({
    {"@sortByAssociatedKeys", SortByAssociatedKeys, CostRule::kQuadraticKeys, kOwn},
    {"distinct", Distinct, CostRule::kQuadratic},
    {"first", First},
    {"flatten", Flatten, CostRule::kFlatten, kOwn},
    {"includes", IncludesValueIn36, CostRule::kOne, kSignature, kUntil36},
    {"includes", IncludesValue, kTraversal, kSignature, kSince37},
    {"isSorted", IsSorted, kTraversal, kSignature, {}, kSince32},
    {"last", Last},
    {"lists.range", RangeUntil36, CostRule::kListResult, kSignature, kUntil36},
    {"lists.range", Range, CostRule::kListResult, kSignature, kSince37},
    {"max", Extreme<Ordering::kLess>, kTraversal, kSignature, {}, kSince32},
    {"min", Extreme<Ordering::kGreater>, kTraversal, kSignature, {}, kSince32},
    {"reverse", Reverse, CostRule::kListResult},
    {"sets.contains", SetContains, CostRule::kProduct},
    {"sets.equivalent", SetEquivalent, CostRule::kDoubleProduct},
    {"sets.intersects", SetIntersects, CostRule::kProduct},
    {"slice", Slice, CostRule::kListResult},
    {"sort", Sort, CostRule::kQuadratic, kOwn},
    {"sum", Sum, kTraversal, kSignature, {}, kSince32},
    {"sum(double)", SumOf<ValueKind::kDouble>, kTraversal, kSignature, {}, kSince32},
    {"sum(duration)", SumOf<ValueKind::kDuration>, kTraversal, kSignature, {}, kSince32},
    {"sum(uint)", SumOf<ValueKind::kUint>, kTraversal, kSignature, {}, kSince32},
});

}  // namespace

std::span<const Builtin> ListBuiltins() {
  return kListsBuiltins;
}

}  // namespace dray::cel::library
