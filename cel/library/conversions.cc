// SPDX-License-Identifier: Apache-2.0
// The functions named like types: bool, bytes, double, duration, dyn, int, string, timestamp, type,
// uint.
#include <array>
#include <string>

#include <fmt/format.h>

#include "cel/library/addresses.h"
#include "cel/library/builtin.h"
#include "cel/library/go_numbers.h"
#include "cel/library/tables.h"
#include "cel/library/times.h"
#include "cel/syntax/utf8.h"
#include "cel/value/arena.h"
#include "cel/value/made_object.h"
#include "cel/value/make.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

Value CannotConvert(Arena& arena, std::string_view to) {
  return MakeError(arena, fmt::format("type conversion error from 'string' to '{}'", to));
}

// Numbers and times are read byte by byte.
void ChargeReading(Arena& arena, const Value& argument) {
  if (argument.is(ValueKind::kString)) {
    arena.work().Charge(WorkOfReading(4 * argument.text().size()));
  }
}

Value ToInt(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  ChargeReading(arena, a);
  if (a.is(ValueKind::kInt)) return a;
  if (a.is(ValueKind::kUint)) {
    if (a.unsigned_integer() > uint64_t{INT64_MAX}) return Value::Error("integer overflow");
    return Value::Int(static_cast<int64_t>(a.unsigned_integer()));
  }
  if (a.is(ValueKind::kDouble)) {
    // The smallest int is out of range as well: upstream tests with a strict comparison.
    const bool fits = a.number() > -kTwoTo63 && a.number() < kTwoTo63;
    if (!fits) return Value::Error("integer overflow");
    return Value::Int(static_cast<int64_t>(a.number()));
  }
  if (a.is(ValueKind::kTimestamp)) return Value::Int(a.timestamp().seconds);
  if (a.is(ValueKind::kDuration)) return Value::Int(a.nanoseconds());
  if (!a.is(ValueKind::kString)) return NoSuchOverload();
  const auto value = ParseInt(a.text());
  return value ? Value::Int(*value) : CannotConvert(arena, "int");
}

Value ToUint(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  ChargeReading(arena, a);
  if (a.is(ValueKind::kUint)) return a;
  if (a.is(ValueKind::kInt)) {
    if (a.integer() < 0) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<uint64_t>(a.integer()));
  }
  if (a.is(ValueKind::kDouble)) {
    const bool fits = a.number() >= 0 && a.number() < kTwoTo64;
    if (!fits) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<uint64_t>(a.number()));
  }
  if (!a.is(ValueKind::kString)) return NoSuchOverload();
  const auto value = ParseUint(a.text());
  return value ? Value::Uint(*value) : CannotConvert(arena, "uint");
}

Value ToDouble(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  ChargeReading(arena, a);
  if (a.is(ValueKind::kDouble)) return a;
  if (a.is(ValueKind::kInt)) return Value::Double(static_cast<double>(a.integer()));
  if (a.is(ValueKind::kUint)) return Value::Double(static_cast<double>(a.unsigned_integer()));
  if (!a.is(ValueKind::kString)) return NoSuchOverload();
  const auto value = ParseDouble(a.text());
  return value ? Value::Double(*value) : CannotConvert(arena, "double");
}

Value ToBool(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kBool)) return a;
  for (const std::string_view word : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (a.text() == word) return Value::Bool(true);
  }
  for (const std::string_view word : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (a.text() == word) return Value::Bool(false);
  }
  return CannotConvert(arena, "bool");
}

Value ToString(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kString)) return a;
  if (a.is(ValueKind::kBool)) return Value::String(a.boolean() ? "true" : "false");
  if (a.is(ValueKind::kInt)) return MakeString(arena, fmt::format("{}", a.integer()));
  if (a.is(ValueKind::kUint)) return MakeString(arena, fmt::format("{}", a.unsigned_integer()));
  if (a.is(ValueKind::kDouble)) return MakeString(arena, ShortestText(a.number()));
  if (a.is(ValueKind::kTimestamp)) return MakeString(arena, TimestampText(a.timestamp()));
  if (a.is(ValueKind::kDuration)) return MakeString(arena, DurationText(a.nanoseconds()));
  if (a.is(ValueKind::kIp)) return MakeString(arena, AddressText(a.ip()));
  if (a.is(ValueKind::kCidr)) return MakeString(arena, PrefixText(a.cidr()));
  if (!a.is(ValueKind::kBytes)) return NoSuchOverload();
  arena.work().Charge(WorkOfReading(a.text().size()));
  if (!syntax::IsValidUtf8(a.text())) {
    return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::String(a.text());
}

Value ToBytes(Arena& /*arena*/, Arguments arguments) {
  return Value::Bytes(arguments[0].text());
}

Value ConvertToDuration(Arena& arena, Arguments arguments) {
  ChargeReading(arena, arguments[0]);
  return ToDuration(arena, arguments[0]);
}

Value ConvertToTimestamp(Arena& arena, Arguments arguments) {
  ChargeReading(arena, arguments[0]);
  return ToTimestamp(arena, arguments[0]);
}

Value ToDyn(Arena& /*arena*/, Arguments arguments) {
  return arguments[0];
}

Value TypeOf(Arena& /*arena*/, Arguments arguments) {
  const MadeObject* const made = MadeObjectOf(arguments[0]);
  return Value::Type(made != nullptr ? made->type() : TypeName(arguments[0]));
}

constexpr auto kConversionsBuiltins = std::to_array<Builtin>({
    {"bool", ToBool},
    {"bytes", ToBytes, CostRule::kText},
    {"double", ToDouble},
    {"duration", ConvertToDuration},
    {"dyn", ToDyn},
    {"int", ToInt},
    {"string", ToString, CostRule::kText},
    {"timestamp", ConvertToTimestamp},
    {"type", TypeOf},
    {"uint", ToUint},
});

}  // namespace

std::span<const Builtin> ConversionBuiltins() {
  return kConversionsBuiltins;
}

}  // namespace dray::cel::library
