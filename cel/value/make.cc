// SPDX-License-Identifier: Apache-2.0
#include "cel/value/make.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

namespace dray::cel::inline value {
namespace {

// What making any text takes, besides reading it.
constexpr uint64_t kWorkOfMaking = 64;

bool IsNan(const Value& value) {
  return value.is(ValueKind::kDouble) && std::isnan(value.number());
}

// The order of two keys of one kind, NaN last. "Equal" means one key, or two of a kind without an
// order: lists, and objects behind pointers.
std::strong_ordering OrderOfKeys(const Value& a, const Value& b) {
  if (a.is(ValueKind::kDuration)) return a.nanoseconds() <=> b.nanoseconds();
  if (a.is(ValueKind::kType)) return a.text() <=> b.text();
  if (a.is(ValueKind::kIp)) return a.ip().bytes <=> b.ip().bytes;
  if (a.is(ValueKind::kTimestamp)) {
    const std::strong_ordering order = a.timestamp() <=> b.timestamp();
    return order != 0 ? order : a.timestamp().offset_seconds <=> b.timestamp().offset_seconds;
  }
  if (IsNan(a) || IsNan(b)) return (IsNan(a) ? 1 : 0) <=> (IsNan(b) ? 1 : 0);
  if (!IsKeyKind(a.kind())) return std::strong_ordering::equal;
  if (KeyLess(a, b)) return std::strong_ordering::less;
  return KeyLess(b, a) ? std::strong_ordering::greater : std::strong_ordering::equal;
}

bool AreOneKey(const Value& a, const Value& b) {
  const bool has_value = IsKeyKind(a.kind()) || a.is(ValueKind::kDuration) ||
                         a.is(ValueKind::kType) || a.is(ValueKind::kIp) ||
                         a.is(ValueKind::kTimestamp);
  return has_value && a.kind() == b.kind() && !IsNan(a) && OrderOfKeys(a, b) == 0;
}

// By kind, then by value, then by position in the literal.
bool ComesBefore(const Value& a, const Value& b, bool is_earlier) {
  if (a.kind() != b.kind()) return a.kind() < b.kind();
  const std::strong_ordering order = OrderOfKeys(a, b);
  return order != 0 ? order < 0 : is_earlier;
}

}  // namespace

Value NoSuchOverload() {
  return Value::Error("no such overload");
}

Value NotImplemented(Arena& arena, std::string_view function, std::span<const Value> arguments) {
  const ValueKind first = arguments.empty() ? ValueKind::kNull : arguments.front().kind();
  const bool has_methods = first == ValueKind::kString || first == ValueKind::kTimestamp ||
                           first == ValueKind::kDuration;
  return has_methods ? NoSuchOverload()
                     : MakeError(arena, fmt::format("no such overload: {}", function));
}

Value WrongArguments(Arena& arena, std::string_view function, std::span<const Value> arguments) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "no such overload: {}(", function);
  for (const Value& argument : arguments) {
    if (&argument != arguments.data()) text.append(std::string_view(", "));
    text.append(TypeName(argument));
  }
  text.push_back(')');
  return MakeError(arena, {text.data(), text.size()});
}

Value MakeError(Arena& arena, std::string_view message) {
  arena.work().Charge(kWorkOfMaking + WorkOfReading(message.size()));
  return Value::Error(arena.Copy(message));
}

Value MakeString(Arena& arena, std::string_view text) {
  arena.work().Charge(kWorkOfMaking + WorkOfReading(text.size()));
  if (text.size() > kStringBytesMax) return Value::Error("string too long");
  return Value::String(arena.Copy(text));
}

Value MakeList(Arena& arena, std::span<const Value> items) {
  if (items.size() > kWeightMax) return Value::Error("list too long");
  const std::span<Value> copy = arena.NewValues(items.size());
  std::ranges::copy(items, copy.begin());
  return AdoptList(arena, copy);
}

Value AdoptList(Arena& arena, std::span<const Value> items) {
  arena.work().Charge(WorkOfItems(items.size()));
  Weight weight = 1;
  for (const Value& item : items) weight += WeightOf(item);
  if (weight > kWeightMax) return Value::Error("list too long");
  return Value::FromList(arena.Keep(List{.made = items, .weight = weight}));
}

bool CanBeKey(ValueKind kind) {
  return kind != ValueKind::kBytes && kind != ValueKind::kFormat && kind != ValueKind::kSemver &&
         kind != ValueKind::kAuthorization && kind != ValueKind::kError;
}

Value MakeMap(Arena& arena, std::span<const MapEntry> entries) {
  const auto rounds = uint64_t{std::bit_width(entries.size())};  // of sorting
  Weight weight = 1;
  for (const MapEntry& entry : entries) {
    if (!CanBeKey(entry.key.kind())) {
      return MakeError(
          arena, fmt::format("runtime error: hash of unhashable type {}", GoTypeName(entry.key)));
    }
    weight += 1 + WeightOf(entry.value);
    arena.work().Charge((2 + rounds) * WorkOfComparing(entry.key, entry.key));
  }
  if (weight > kWeightMax) return Value::Error("map too big");
  if (arena.work().is_spent()) return Value::Error("operation cancelled");
  const std::span<uint64_t> places = arena.NewNumbers(entries.size());
  // NOLINTNEXTLINE(modernize-use-ranges): libstdc++ 12 has no ranges::iota
  std::iota(places.begin(), places.end(), uint64_t{0});
  std::ranges::sort(places, [entries](uint64_t a, uint64_t b) {
    return ComesBefore(entries[a].key, entries[b].key, a < b);
  });
  const std::span<MapEntry> out = arena.NewEntries(entries.size());
  size_t kept = 0;
  for (const uint64_t place : places) {
    const bool again = kept > 0 && AreOneKey(out[kept - 1].key, entries[place].key);
    out[again ? kept - 1 : kept++] = entries[place];
  }
  const auto gone =
      std::ranges::remove_if(out.first(kept), [](const MapEntry& e) { return e.value.is_error(); });
  return Value::FromMap(arena.Keep(Map{.made = out.first(kept - gone.size()), .weight = weight}));
}

Value MakeSome(Arena& arena, const Value& value) {
  return Value::Some(arena.Keep(value));
}

}  // namespace dray::cel::inline value
