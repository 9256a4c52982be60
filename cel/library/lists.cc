// SPDX-License-Identifier: Apache-2.0
// Functions of lists: those of Kubernetes, version 3 of the lists extension, sets, includes.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cel/library/library.h"

namespace dray::cel {
namespace {

using Arguments = std::span<const Value>;

bool Holds(std::span<const Value> items, const Value& wanted) {
  return std::ranges::any_of(items,
                             [&](const Value& item) { return Equal(item, wanted).is_true(); });
}

// Comparisons that fail count as "in order".
Value IsSorted(Arena& /*arena*/, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items;
  for (size_t i = 1; i < items.size(); ++i) {
    if (Compare(items[i - 1], items[i], Ordering::kGreater).is_true()) return Value::Bool(false);
  }
  return Value::Bool(true);
}

template <Ordering better>
Value Extreme(Arena& /*arena*/, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items;
  if (items.empty()) {
    return Value::Error(better == Ordering::kLess ? "min called on empty list"
                                                  : "max called on empty list");
  }
  Value best = items[0];
  for (const Value& item : items.subspan(1)) {
    if (Compare(item, best, better).is_true()) best = item;
  }
  return best;
}

Value Sum(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items;
  if (items.empty()) return Value::Int(0);
  Value sum = items[0];
  for (const Value& item : items.subspan(1)) {
    sum = AddValues(arena, sum, item);
    if (sum.is_error()) return sum;
  }
  return sum;
}

Value Slice(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items;
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
  const std::span<const Value> items = arguments[0].list().items;
  return MakeList(arena, std::vector<Value>(items.rbegin(), items.rend()));
}

Value Distinct(Arena& arena, Arguments arguments) {
  std::vector<Value> kept;
  for (const Value& item : arguments[0].list().items) {
    if (!Holds(kept, item)) kept.push_back(item);
  }
  return MakeList(arena, kept);
}

Value Sort(Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kList)) return Value::Error("no such overload: sort");
  const std::span<const Value> items = arguments[0].list().items;
  std::vector<Value> sorted(items.begin(), items.end());
  for (const Value& item : items) {
    if (item.kind() != items[0].kind()) {
      return Value::Error("list elements must have the same type");
    }
    if (Compare(item, item, Ordering::kLess).is_error()) {
      return Value::Error("list elements must be comparable");
    }
  }
  std::ranges::sort(sorted, [](const Value& a, const Value& b) {
    return Compare(a, b, Ordering::kLess).is_true();
  });
  return MakeList(arena, sorted);
}

bool FlattenInto(std::vector<Value>& out, std::span<const Value> items, int64_t depth) {
  for (const Value& item : items) {
    if (depth > 0 && item.is(ValueKind::kList)) {
      if (!FlattenInto(out, item.list().items, depth - 1)) return false;
    } else {
      out.push_back(item);
    }
    if (out.size() > kWeightMax) return false;
  }
  return true;
}

Value Flatten(Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kList)) return NoSuchOverload();
  if (arguments.size() > 1 && !arguments[1].is(ValueKind::kInt)) return NoSuchOverload();
  const int64_t depth = arguments.size() > 1 ? arguments[1].integer() : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  std::vector<Value> out;
  FlattenInto(out, arguments[0].list().items, depth);
  return MakeList(arena, out);
}

Value Range(Arena& arena, Arguments arguments) {
  const int64_t size = arguments[0].integer();
  if (size < 0) {
    return MakeError(arena, fmt::format("lists.range: size must be non-negative, got {}", size));
  }
  if (std::cmp_greater(size, kWeightMax)) return Value::Error("list too long");
  std::vector<Value> numbers;
  numbers.reserve(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) numbers.push_back(Value::Int(i));
  return MakeList(arena, numbers);
}

Value First(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items;
  return items.empty() ? Value::None() : MakeSome(arena, items.front());
}

Value Last(Arena& arena, Arguments arguments) {
  const std::span<const Value> items = arguments[0].list().items;
  return items.empty() ? Value::None() : MakeSome(arena, items.back());
}

bool HoldsAll(const Value& list, const Value& wanted) {
  return std::ranges::all_of(wanted.list().items,
                             [&](const Value& item) { return Holds(list.list().items, item); });
}

Value SetContains(Arena& /*arena*/, Arguments arguments) {
  return Value::Bool(HoldsAll(arguments[0], arguments[1]));
}

Value SetEquivalent(Arena& /*arena*/, Arguments arguments) {
  return Value::Bool(HoldsAll(arguments[0], arguments[1]) && HoldsAll(arguments[1], arguments[0]));
}

Value SetIntersects(Arena& /*arena*/, Arguments arguments) {
  return Value::Bool(std::ranges::any_of(arguments[1].list().items, [&](const Value& item) {
    return Holds(arguments[0].list().items, item);
  }));
}

Value Includes(Arena& /*arena*/, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kList)) {
    return Value::Bool(Equal(arguments[0], arguments[1]).is_true());
  }
  return Value::Bool(Holds(arguments[0].list().items, arguments[1]));
}

constexpr auto kBuiltins = std::to_array<Builtin>({
    {"distinct", Distinct, CostRule::kQuadratic},
    {"first", First},
    {"flatten", Flatten, CostRule::kFlatten, WrongTypes::kOwn},
    {"includes", Includes, CostRule::kTraversal},
    {"isSorted", IsSorted, CostRule::kTraversal},
    {"last", Last},
    {"lists.range", Range, CostRule::kListResult},
    {"max", Extreme<Ordering::kGreater>, CostRule::kTraversal},
    {"min", Extreme<Ordering::kLess>, CostRule::kTraversal},
    {"reverse", Reverse, CostRule::kListResult},
    {"sets.contains", SetContains, CostRule::kProduct},
    {"sets.equivalent", SetEquivalent, CostRule::kDoubleProduct},
    {"sets.intersects", SetIntersects, CostRule::kProduct},
    {"slice", Slice, CostRule::kListResult},
    {"sort", Sort, CostRule::kQuadratic, WrongTypes::kOwn},
    {"sum", Sum, CostRule::kTraversal},
});

}  // namespace

std::span<const Builtin> ListBuiltins() {
  return kBuiltins;
}

}  // namespace dray::cel
