// SPDX-License-Identifier: Apache-2.0
#include "cel/library/library.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dray::cel {
namespace {

std::unordered_map<std::string_view, const Builtin*> IndexBuiltins() {
  std::unordered_map<std::string_view, const Builtin*> index;
  for (const auto table : {OperatorBuiltins(),
                           ConversionBuiltins(),
                           StringBuiltins(),
                           RegexBuiltins(),
                           ListBuiltins(),
                           OptionalBuiltins(),
                           QuantityBuiltins(),
                           SemverBuiltins()}) {
    for (const Builtin& builtin : table) index.emplace(builtin.name, &builtin);
  }
  return index;
}

bool Accepts(const Type& type, const Value& value) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kParameter: return true;
    case TypeKind::kList: {
      if (!value.is(ValueKind::kList)) return false;
      const std::span<const Value> items = value.list().items;
      return items.empty() || Accepts(*type.parameters[0], items[0]);
    }
    case TypeKind::kMap: return value.is(ValueKind::kMap);
    case TypeKind::kOptional: return value.is(ValueKind::kOptional);
    case TypeKind::kObject:
    case TypeKind::kOpaque: return TypeName(value) == type.name;
    case TypeKind::kError:
    case TypeKind::kNull:
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kType: break;
  }
  return TypeName(value) == KindName(type.kind);
}

}  // namespace

const Builtin* FindBuiltin(std::string_view name) {
  static const auto kIndex = IndexBuiltins();
  if (name.starts_with('.')) name.remove_prefix(1);
  const auto found = kIndex.find(name);
  return found == kIndex.end() ? nullptr : found->second;
}

bool AcceptsValues(const Function& function, std::span<const Value> arguments) {
  return std::ranges::any_of(function.overloads, [&](const Overload& overload) {
    return std::ranges::equal(
        overload.parameters, arguments, [](const Type* type, const Value& value) {
          return Accepts(*type, value);
        });
  });
}

Value NoSuchOverload() {
  return Value::Error("no such overload");
}

Value MakeError(Arena& arena, std::string_view message) {
  return Value::Error(arena.Copy(message));
}

Value MakeString(Arena& arena, std::string_view text) {
  if (text.size() > kStringBytesMax) return Value::Error("string too long");
  return Value::String(arena.Copy(text));
}

Value MakeList(Arena& arena, std::span<const Value> items) {
  Weight weight = 1;
  for (const Value& item : items) weight += WeightOf(item);
  if (weight > kWeightMax) return Value::Error("list too long");
  const std::span<Value> copy = arena.NewValues(items.size());
  std::ranges::copy(items, copy.begin());
  return Value::FromList(arena.Keep(List{.items = copy, .weight = weight}));
}

Value MakeMap(Arena& arena, std::span<const MapEntry> entries) {
  Weight weight = 1;
  for (const MapEntry& entry : entries) {
    if (!IsKeyKind(entry.key.kind())) return Value::Error("unsupported key type");
    weight += 1 + WeightOf(entry.value);
  }
  if (weight > kWeightMax) return Value::Error("map too big");
  std::vector<std::pair<MapEntry, size_t>> sorted;
  for (const MapEntry& entry : entries) sorted.emplace_back(entry, sorted.size());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    if (KeyLess(a.first.key, b.first.key)) return true;
    return !KeyLess(b.first.key, a.first.key) && a.second < b.second;
  });
  const std::span<MapEntry> out = arena.NewEntries(entries.size());
  size_t kept = 0;
  for (const auto& [entry, order] : sorted) {
    const bool again = kept > 0 && !KeyLess(out[kept - 1].key, entry.key);
    out[again ? kept - 1 : kept++] = entry;
  }
  return Value::FromMap(arena.Keep(Map{.entries = out.first(kept), .weight = weight}));
}

Value MakeSome(Arena& arena, const Value& value) {
  return Value::Some(arena.Keep(value));
}

}  // namespace dray::cel
