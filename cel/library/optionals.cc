// SPDX-License-Identifier: Apache-2.0
// Functions of optional values. or and orValue skip their argument when they can; the evaluator
// does that.
#include <array>

#include <fmt/format.h>

#include "cel/library/builtin.h"
#include "cel/library/qualifier.h"
#include "cel/library/tables.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

// Go's zero time: 0001-01-01T00:00:00Z.
constexpr Timestamp kZeroTime = {.seconds = -62'135'596'800};

bool IsZero(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull: return true;
    case ValueKind::kBool: return !value.boolean();
    case ValueKind::kInt: return value.integer() == 0;
    case ValueKind::kUint: return value.unsigned_integer() == 0;
    case ValueKind::kDouble: return value.number() == 0;
    case ValueKind::kString:
    case ValueKind::kBytes: return value.text().empty();
    case ValueKind::kList: return value.list().empty();
    case ValueKind::kMap: return value.map().size() == 0;
    case ValueKind::kDuration: return value.nanoseconds() == 0;
    case ValueKind::kTimestamp: return value.timestamp() == kZeroTime;
    case ValueKind::kError:
    case ValueKind::kOptional:
    case ValueKind::kType:
    case ValueKind::kQuantity:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization:
    case ValueKind::kSemver: break;
  }
  return false;
}

Value None(Arena& /*arena*/, Arguments /*arguments*/) {
  return Value::None();
}
Value Of(Arena& arena, Arguments arguments) {
  return MakeSome(arena, arguments[0]);
}
Value OfNonZero(Arena& arena, Arguments arguments) {
  return IsZero(arguments[0]) ? Value::None() : MakeSome(arena, arguments[0]);
}
Value HasValue(Arena& /*arena*/, Arguments arguments) {
  return Value::Bool(arguments[0].optional() != nullptr);
}
Value ValueOf(Arena& /*arena*/, Arguments arguments) {
  const Value* const value = arguments[0].optional();
  return value != nullptr ? *value : Value::Error("optional.none() dereference");
}

Value Unwrap(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfItems(arguments[0].list().size()));
  ValueBuffer present(arena);
  for (const Value& item : arguments[0].list().items()) {
    if (!item.is(ValueKind::kOptional)) {
      return MakeError(arena, fmt::format("value {} is not optional", KeyText(item)));
    }
    if (item.optional() != nullptr) present.Add(*item.optional());
  }
  return AdoptList(arena, present.items());
}

constexpr auto kOptionalsBuiltins = std::to_array<Builtin>({
    {"hasValue", HasValue},
    {"optional.none", None},
    {"optional.of", Of},
    {"optional.ofNonZeroValue", OfNonZero},
    {"optional.unwrap", Unwrap},
    {"unwrapOpt", Unwrap},
    {"value", ValueOf},
});

}  // namespace

std::span<const Builtin> OptionalBuiltins() {
  return kOptionalsBuiltins;
}

}  // namespace dray::cel::library
