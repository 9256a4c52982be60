// SPDX-License-Identifier: Apache-2.0
#include "cel/value/structured.h"

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "cel/value/equality.h"
#include "cel/value/make.h"

namespace dray::cel::inline value {

Value AddStructured(Arena& arena, const List& a, const List& b) {
  constexpr uint64_t kWorkOfElement = 64;
  const size_t most = a.size() + b.size();
  arena.work().Charge(WorkOfItems(most) + kWorkOfElement * most);
  const std::span<Value> items = arena.NewValues(most);
  size_t count = 0;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < most && !arena.work().is_spent(); ++i) {
    const bool is_of_a = i < a.size();
    const Value element = is_of_a ? a.At(i) : b.At(i - a.size());
    std::string key = KeyOfElement(a, element);
    if (key.empty()) return NotScalarError();
    const auto [place, is_new] = places.emplace(std::move(key), count);
    if (is_of_a) place->second = count;  // of alike ones in `a` the last is replaced
    if (is_of_a || is_new) {
      items[count++] = element;
    } else if (a.rule == ListRule::kMap) {
      items[place->second] = element;
    }
  }
  Weight weight = 1;
  for (const Value& item : items.first(count)) weight += WeightOf(item);
  if (weight > kWeightMax) return Value::Error("list too long");
  return Value::FromList(arena.Keep(
      List{.made = items.first(count), .weight = weight, .rule = a.rule, .keys = a.keys}));
}

Value ContainsElement(const List& list, const Value& wanted, Work& work) {
  Value failure = Value::Bool(false);
  for (size_t i = 0; i < list.size() && !work.is_spent(); ++i) {
    const Value equal = Equal(list.At(i), wanted, work);
    if (equal.is_true()) return equal;
    if (equal.is_error() && !failure.is_error()) failure = equal;
  }
  return failure;
}

}  // namespace dray::cel::inline value
