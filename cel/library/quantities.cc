// SPDX-License-Identifier: Apache-2.0
// Quantity and Semver, the Kubernetes types that devices have. They share compareTo, isLessThan and
// isGreaterThan.
#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <optional>
#include <utility>

#include "base/result.h"
#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

// Cost of adding amounts of up to a thousand digits.
constexpr uint64_t kWorkOfAdding = 128;

// Quadratic in a text that is short; a longer one is refused unread.
void ChargeQuantity(Arena& arena, std::string_view text) {
  const uint64_t size = std::min(text.size(), api::kQuantityTextMax);
  arena.work().Charge(WorkOfReading(8 * size + size * size / 16));
}

Value ParseQuantity(Arena& arena, Arguments arguments) {
  ChargeQuantity(arena, arguments[0].text());
  auto parsed = api::Quantity::Parse(arguments[0].text());
  if (!parsed.has_value()) return MakeError(arena, parsed.error().message);
  return Value::Quantity(arena.Keep(*std::move(parsed)));
}

Value IsQuantity(Arena& arena, Arguments arguments) {
  ChargeQuantity(arena, arguments[0].text());
  return Value::Bool(api::Quantity::Parse(arguments[0].text()).has_value());
}

Value IsInteger(Arena& /*arena*/, Arguments arguments) {
  return Value::Bool(arguments[0].quantity().AsInt64().has_value());
}

Value AsInteger(Arena& /*arena*/, Arguments arguments) {
  const auto value = arguments[0].quantity().AsInt64();
  return value ? Value::Int(*value) : Value::Error("cannot convert value to integer");
}

Value AsDouble(Arena& /*arena*/, Arguments arguments) {
  return Value::Double(arguments[0].quantity().AsApproximateDouble());
}

api::Quantity AmountOf(const Value& value) {
  return value.is(ValueKind::kInt) ? api::Quantity::FromInt(value.integer()) : value.quantity();
}

Value AddTo(Arena& arena, Arguments arguments) {
  arena.work().Charge(kWorkOfAdding);
  return Value::ComputedQuantity(arena.Keep(arguments[0].quantity() + AmountOf(arguments[1])));
}

Value SubtractFrom(Arena& arena, Arguments arguments) {
  arena.work().Charge(kWorkOfAdding);
  // Upstream adds the negated number if both are small, and the smallest is its own negative.
  const std::optional<int64_t> from = arguments[0].quantity().AsInt64();
  const bool is_smallest = arguments[1].is(ValueKind::kInt) &&
                           arguments[1].integer() == std::numeric_limits<int64_t>::min() &&
                           from.has_value() && *from >= 0;
  if (is_smallest) return AddTo(arena, arguments);
  return Value::ComputedQuantity(arena.Keep(arguments[0].quantity() - AmountOf(arguments[1])));
}

Value Sign(Arena& /*arena*/, Arguments arguments) {
  return Value::Int(arguments[0].quantity().Sign());
}

std::weak_ordering Order(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfComparing(arguments[0], arguments[1]));
  if (arguments[0].is(ValueKind::kQuantity)) {
    return arguments[0].quantity() <=> arguments[1].quantity();
  }
  return arguments[0].semver() <=> arguments[1].semver();
}

Value CompareTo(Arena& arena, Arguments arguments) {
  const std::weak_ordering order = Order(arena, arguments);
  return Value::Int(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Value IsLess(Arena& arena, Arguments arguments) {
  return Value::Bool(Order(arena, arguments) < 0);
}
Value IsGreater(Arena& arena, Arguments arguments) {
  return Value::Bool(Order(arena, arguments) > 0);
}

Result<api::Semver> ReadSemver(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfReading(8 * arguments[0].text().size()));
  const bool normalize = arguments.size() > 1 && arguments[1].boolean();
  if (normalize) return api::Semver::ParseNormalized(arguments[0].text());
  return api::Semver::Parse(arguments[0].text());
}

Value ParseSemver(Arena& arena, Arguments arguments) {
  auto parsed = ReadSemver(arena, arguments);
  if (!parsed.has_value()) return MakeError(arena, parsed.error().message);
  return Value::Semver(arena.Keep(*std::move(parsed)));
}

Value IsSemver(Arena& arena, Arguments arguments) {
  return Value::Bool(ReadSemver(arena, arguments).has_value());
}

// Numbers beyond int64 wrap, as upstream's do.
Value Major(Arena& /*arena*/, Arguments arguments) {
  return Value::Int(static_cast<int64_t>(arguments[0].semver().major()));
}
Value Minor(Arena& /*arena*/, Arguments arguments) {
  return Value::Int(static_cast<int64_t>(arguments[0].semver().minor()));
}
Value Patch(Arena& /*arena*/, Arguments arguments) {
  return Value::Int(static_cast<int64_t>(arguments[0].semver().patch()));
}

constexpr auto kQuantityBuiltins = std::to_array<Builtin>({
    {"add", AddTo},
    {"asApproximateFloat", AsDouble},
    {"asInteger", AsInteger},
    {"compareTo", CompareTo},
    {"isGreaterThan", IsGreater},
    {"isInteger", IsInteger},
    {"isLessThan", IsLess},
    {"isQuantity", IsQuantity, CostRule::kTenth, WrongTypes::kSignature, {}, kSince32},
    {"quantity", ParseQuantity, CostRule::kTenth, WrongTypes::kSignature, {}, kSince32},
    {"sign", Sign},
    {"sub", SubtractFrom},
});

constexpr auto kSemverBuiltins = std::to_array<Builtin>({
    {"isSemver", IsSemver, CostRule::kTenth, WrongTypes::kSignature, {}, kSince33},
    {"major", Major},
    {"minor", Minor},
    {"patch", Patch},
    {"semver", ParseSemver, CostRule::kTenth, WrongTypes::kSignature, {}, kSince33},
});

}  // namespace

std::span<const Builtin> QuantityBuiltins() {
  return kQuantityBuiltins;
}
std::span<const Builtin> SemverBuiltins() {
  return kSemverBuiltins;
}

}  // namespace dray::cel::library
