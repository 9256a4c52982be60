// SPDX-License-Identifier: Apache-2.0
#include "cel/value/value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <optional>

#include "cel/value/authorization.h"
#include "cel/value/kind.h"

namespace dray::cel::inline value {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

const Map kEmptyMap;
const Value kEmptyMapValue = Value::FromMap(&kEmptyMap);
// What an object of a document has for a key that is no text.
const Value kNoTextKey = Value::Error("no such overload");

// A double outside the range of integers decides alone; otherwise the integer is rounded to a
// double first.
std::partial_ordering CompareIntDouble(int64_t a, double b) {
  if (b < -kTwoTo63) return std::partial_ordering::greater;
  if (b > kTwoTo63) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering CompareUintDouble(uint64_t a, double b) {
  if (b < 0) return std::partial_ordering::greater;
  if (b > kTwoTo64) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering CompareIntUint(int64_t a, uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<uint64_t>(a) <=> b;
}

std::partial_ordering CompareNumbers(const Value& a, const Value& b) {
  if (a.is(ValueKind::kDouble)) {
    if (b.is(ValueKind::kDouble)) return a.number() <=> b.number();
    return 0 <=> CompareNumbers(b, a);
  }
  if (a.is(ValueKind::kInt)) {
    if (b.is(ValueKind::kInt)) return a.integer() <=> b.integer();
    if (b.is(ValueKind::kUint)) return CompareIntUint(a.integer(), b.unsigned_integer());
    return CompareIntDouble(a.integer(), b.number());
  }
  if (b.is(ValueKind::kUint)) return a.unsigned_integer() <=> b.unsigned_integer();
  if (b.is(ValueKind::kInt)) return 0 <=> CompareNumbers(b, a);
  return CompareUintDouble(a.unsigned_integer(), b.number());
}

bool InOrder(std::partial_ordering order, Ordering wanted) {
  switch (wanted) {
    case Ordering::kLess: return order < 0;
    case Ordering::kLessEqual: return order <= 0;
    case Ordering::kGreater: return order > 0;
    case Ordering::kGreaterEqual: return order >= 0;
  }
  return false;
}

// The name of the Go type of a list or object of a document.
std::string_view GoTypeNameOfStructured(const Value& value) {
  if (value.is(ValueKind::kMap)) return "*common.unstructuredMap";
  const bool is_sum = value.list().view == nullptr;
  switch (value.list().rule) {
    case ListRule::kSet: return is_sum ? "*common.refValSetList" : "*common.unstructuredSetList";
    case ListRule::kMap: return is_sum ? "*common.refValMapList" : "*common.unstructuredMapList";
    case ListRule::kPlain:
    case ListRule::kAtomic: break;
  }
  return "*common.unstructuredList";
}

}  // namespace

std::optional<std::partial_ordering> Order(const Value& a, const Value& b) {
  if (IsNumber(a.kind()) && IsNumber(b.kind())) return CompareNumbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  if (a.is(ValueKind::kBool)) return int{a.boolean()} <=> int{b.boolean()};
  if (a.is(ValueKind::kTimestamp)) return a.timestamp() <=> b.timestamp();
  if (a.is(ValueKind::kDuration)) return a.nanoseconds() <=> b.nanoseconds();
  return a.text() <=> b.text();
}

bool IsStructured(const Value& value) {
  if (value.is(ValueKind::kList)) return !value.list().is_plain();
  return value.is(ValueKind::kMap) && value.map().is_structured();
}

Weight WeightOf(const Value& value) {
  if (value.is(ValueKind::kList)) return value.list().weight;
  if (value.is(ValueKind::kMap)) return value.map().weight;
  if (value.is(ValueKind::kOptional) && value.optional() != nullptr) {
    return WeightOf(*value.optional());
  }
  return 1;
}

bool IsScalarKey(ValueKind kind) {
  return IsKeyKind(kind) && kind != ValueKind::kNull;
}

bool HasOrder(ValueKind kind) {
  return FactsOf(kind).has_order;
}

bool IsKeyKind(ValueKind kind) {
  return FactsOf(kind).is_key;
}

bool KeyLess(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return a.kind() < b.kind();
  return !a.is(ValueKind::kNull) && Order(a, b) == std::partial_ordering::less;
}

const Value* Map::FindPresent(const Value& key) const {
  if (view != nullptr) return key.is(ValueKind::kString) ? view->Find(key.text()) : &kNoTextKey;
  const auto exact = [this](const Value& wanted) -> const Value* {
    const auto found = std::ranges::lower_bound(made, wanted, KeyLess, &MapEntry::key);
    if (found == made.end() || KeyLess(wanted, found->key)) return nullptr;
    return &found->value;
  };
  if (key.is(ValueKind::kString) && !hashes.empty()) {
    const auto found = std::ranges::find_if(
        made, [&](const MapEntry& entry) { return entry.key.text() == key.text(); });
    return found == made.end() ? nullptr : &found->value;
  }
  if (!IsKeyKind(key.kind())) return nullptr;
  if (const Value* const found = exact(key); found != nullptr) return found;
  if (key.is(ValueKind::kInt) && key.integer() >= 0) {
    return exact(Value::Uint(static_cast<uint64_t>(key.integer())));
  }
  if (key.is(ValueKind::kUint) && key.unsigned_integer() <= uint64_t{INT64_MAX}) {
    return exact(Value::Int(static_cast<int64_t>(key.unsigned_integer())));
  }
  if (!key.is(ValueKind::kDouble) || key.number() != std::trunc(key.number())) return nullptr;
  if (key.number() >= -kTwoTo63 && key.number() < kTwoTo63) {
    const Value* const found = exact(Value::Int(static_cast<int64_t>(key.number())));
    if (found != nullptr) return found;
  }
  if (key.number() < 0 || key.number() >= kTwoTo64) return nullptr;
  return exact(Value::Uint(static_cast<uint64_t>(key.number())));
}

const Value* Map::Find(const Value& key) const {
  const Value* const found = FindPresent(key);
  return found == nullptr && empty_by_default ? &kEmptyMapValue : found;
}

const Value* Map::FindText(std::string_view key, uint64_t hash) const {
  if (hashes.empty()) return view != nullptr ? view->Find(key) : Find(Value::String(key));
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i] == hash && made[i].key.text() == key) return &made[i].value;
  }
  return empty_by_default ? &kEmptyMapValue : nullptr;
}

uint64_t HashPath(uint64_t a, uint64_t b, uint64_t c) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  const uint64_t mixed = ((a * kOdd ^ b) * kOdd ^ c) * kOdd;
  return mixed ^ (mixed >> 32);
}

uint64_t HashText(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

std::string_view TypeName(const Value& value) {
  if (value.is(ValueKind::kAuthorization)) return TypeNameOf(value.authorization().stage);
  return FactsOf(value.kind()).name;
}

std::optional<ValueKind> KindOfObject(std::string_view name) {
  const auto* const found = std::ranges::find_if(kKindFacts, [&](const KindFacts& facts) {
    return facts.kind >= ValueKind::kQuantity && facts.name == name;
  });
  return found == kKindFacts.end() ? std::nullopt : std::optional(found->kind);
}

std::string_view GoTypeName(const Value& value) {
  if (value.is(ValueKind::kMap) && value.map().empty_by_default) return "cel.mapper";
  if (IsStructured(value)) return GoTypeNameOfStructured(value);
  if (value.is(ValueKind::kQuantity) && value.is_computed()) return "*cel.Quantity";
  return FactsOf(value.kind()).go_type;
}

uint64_t WorkOfComparing(const Value& a, const Value& b) {
  constexpr uint64_t kUsual = 4;
  if (a.kind() != b.kind()) return kUsual;
  switch (a.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes: return kUsual + WorkOfBytes(std::min(a.text().size(), b.text().size()));
    case ValueKind::kSemver: {
      const size_t shorter =
          std::min(a.semver().prerelease().size(), b.semver().prerelease().size());
      return kUsual + WorkOfReading(4 * shorter);
    }
    case ValueKind::kUrl:
      return kUsual + WorkOfBytes(std::min(a.url().text.size(), b.url().text.size()));
    case ValueKind::kQuantity: return 64;  // of up to a thousand digits
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return kUsual;
}

uint64_t Map::WorkOfFinding(const Value& key) const {
  const bool has_text = key.is(ValueKind::kString);
  const uint64_t compared = has_text ? WorkOfBytes(key.text().size()) : 1;
  if (!hashes.empty()) return made.size() + compared;
  return 4 + uint64_t{std::bit_width(size())} * (2 + compared);
}

Value Compare(const Value& a, const Value& b, Ordering ordering) {
  static constexpr std::array<std::string_view, 4> kNoOrder = {"no such overload: _<_",
                                                               "no such overload: _<=_",
                                                               "no such overload: _>_",
                                                               "no such overload: _>=_"};
  if (a.is(ValueKind::kInt) && b.is(ValueKind::kInt)) {
    return Value::Bool(InOrder(a.integer() <=> b.integer(), ordering));
  }
  if (!HasOrder(a.kind())) return Value::Error(kNoOrder[static_cast<size_t>(ordering)]);
  const std::optional<std::partial_ordering> order = Order(a, b);
  if (!order.has_value()) return Value::Error("no such overload");
  if (*order == std::partial_ordering::unordered) {
    return Value::Error("NaN values cannot be ordered");
  }
  return Value::Bool(InOrder(*order, ordering));
}

}  // namespace dray::cel::inline value
