// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/messages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/check/messages.h"
#include "cel/eval/conversion_problem.h"
#include "cel/eval/json_values.h"
#include "cel/library/times.h"
#include "cel/value/made_object.h"
#include "cel/value/make.h"

namespace dray::cel::eval {

using check::Message;
using check::MessageField;

namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::string_view kJsonValue = kGoJsonValue;

class MessageMaker {
 public:
  MessageMaker(Arena& arena, const Message& message, std::span<const FieldValue> fields)
      : arena_(arena), message_(message), fields_(fields) {}

  Value Make() {
    const std::string_view name = message_.name.substr(message_.name.rfind('.') + 1);
    if (name == "Timestamp") return MakeTimestamp();
    if (name == "Duration") return MakeDuration();
    if (name == "Struct") return Converted("fields", MakeMap(arena_, {}));
    if (name == "ListValue") return Converted("values", MakeList(arena_, {}));
    if (name == "Value") return MakeValue();
    if (name == "BoolValue") return Converted("value", Value::Bool(false));
    if (name == "StringValue") return Converted("value", Value::String(""));
    if (name == "BytesValue") return Converted("value", Value::Bytes(""));
    if (name == "UInt32Value" || name == "UInt64Value") {
      return Converted("value", Value::Uint(0));
    }
    if (name == "Int32Value" || name == "Int64Value") return Converted("value", Value::Int(0));
    if (name == "DoubleValue" || name == "FloatValue") {
      return Converted("value", Value::Double(0));
    }
    if (name == "Any") {
      return Value::Error("unsupported conversion to ref.Val: (*dynamicpb.Message)");
    }
    return MakeError(arena_, fmt::format("message '{}' has no value here", message_.name));
  }

 private:
  // The last value given for a field, as the field holds it.
  Value Converted(std::string_view name, const Value& otherwise) {
    const auto wanted = std::ranges::find(message_.fields, name, &MessageField::name);
    Value out = otherwise;
    for (const FieldValue& field : fields_) {
      if (field.name != name) continue;
      out = Convert(*wanted, field.value);
      if (out.is_error()) return out;
    }
    return out;
  }

  // The last of the fields, whichever it is.
  Value MakeValue() {
    Value out;
    for (const FieldValue& field : fields_) {
      const auto wanted = std::ranges::find(message_.fields, field.name, &MessageField::name);
      out = Convert(*wanted, field.value);
      if (out.is_error()) return out;
      if (field.name == "null_value") out = {};
    }
    return out;
  }

  struct Seconds {
    Value error;  // null if there is none
    int64_t seconds = 0;
    int64_t nanos = 0;
  };

  Seconds ReadSeconds() {
    const Value seconds = Converted("seconds", Value::Int(0));
    if (seconds.is_error()) return {.error = seconds};
    const Value nanos = Converted("nanos", Value::Int(0));
    if (nanos.is_error()) return {.error = nanos};
    return {.error = {}, .seconds = seconds.integer(), .nanos = nanos.integer()};
  }

  Value MakeTimestamp() {
    const Seconds given = ReadSeconds();
    if (given.error.is_error()) return given.error;
    const Value whole = library::ToTimestamp(arena_, Value::Int(given.seconds));
    if (whole.is_error()) return whole;
    return library::AddTime(arena_, whole, Value::Duration(given.nanos));
  }

  // A duration that is too long becomes the longest one.
  Value MakeDuration() {
    const Seconds given = ReadSeconds();
    if (given.error.is_error()) return given.error;
    int64_t sum = 0;
    if (__builtin_mul_overflow(given.seconds, kNanosecondsPerSecond, &sum) ||
        __builtin_add_overflow(sum, given.nanos, &sum)) {
      using Limits = std::numeric_limits<int64_t>;
      sum = given.seconds < 0 ? Limits::min() : Limits::max();
    }
    return Value::Duration(sum);
  }

  Value Problem(const MessageField& field, std::string_view problem) {
    return MakeError(arena_,
                     fmt::format("field type conversion error for {}.{} value type: {}",
                                 message_.name,
                                 field.name,
                                 problem));
  }

  Value Mismatch(const MessageField& field, const Value& value) {
    const bool is_repeated = field.go == kJsonValue;
    if (!is_repeated) return Problem(field, ConversionProblem(value, field.go));
    return MakeError(
        arena_,
        fmt::format(
            "unsupported field type for {}.{}: {}", message_.name, field.name, TypeName(value)));
  }

  Value Convert(const MessageField& field, const Value& value) {
    if (field.type == "int") {
      if (!value.is(ValueKind::kInt)) return Mismatch(field, value);
      const bool fits = field.go == "int64" || std::in_range<int32_t>(value.integer());
      return fits ? value : Problem(field, "integer overflow");
    }
    if (field.type == "uint") {
      if (!value.is(ValueKind::kUint)) return Mismatch(field, value);
      const bool fits = field.go == "uint64" || std::in_range<uint32_t>(value.unsigned_integer());
      return fits ? value : Problem(field, "unsigned integer overflow");
    }
    if (field.type == "double") {
      if (!value.is(ValueKind::kDouble)) return Mismatch(field, value);
      if (field.go == "float64") return value;
      return Value::Double(double{static_cast<float>(value.number())});
    }
    const ValueKind kind = KindOf(field);
    if (!value.is(kind)) return Mismatch(field, value);
    if (kind != ValueKind::kList && kind != ValueKind::kMap) return value;
    const Value json = JsonValueOf(arena_, value);
    return json.is_error() ? Problem(field, json.text()) : json;
  }

  static ValueKind KindOf(const MessageField& field) {
    if (field.type == "bool") return ValueKind::kBool;
    if (field.type == "bytes") return ValueKind::kBytes;
    if (field.type == "string") return ValueKind::kString;
    return field.type.starts_with("list") ? ValueKind::kList : ValueKind::kMap;
  }

  Arena& arena_;
  const Message& message_;
  std::span<const FieldValue> fields_;
};

Value MakeDeclared(Arena& arena,
                   std::string_view name,
                   check::Literals literals,
                   std::span<const FieldValue> fields) {
  const std::span<MapEntry> entries = arena.NewEntries(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldValue& field = fields[i];
    if (field.type->kind == check::TypeKind::kString && !field.value.is(ValueKind::kString)) {
      return MakeError(arena,
                       fmt::format("unexpected type {} for {}Type '{}' field",
                                   GoTypeHeld(field.value),
                                   name,
                                   field.name));
    }
    entries[i] = {.key = Value::String(field.name), .value = field.value};
  }
  const bool has_types = literals == check::Literals::kOfFields;
  return MakeObject(arena, name, entries, has_types ? Value::String("") : Value());
}

}  // namespace

Value MakeMessage(Arena& arena,
                  std::string_view name,
                  check::Literals literals,
                  std::span<const FieldValue> fields) {
  if (literals != check::Literals::kNone) return MakeDeclared(arena, name, literals, fields);
  const Message* const message = check::FindMessage(name);
  if (message != nullptr) return MessageMaker(arena, *message, fields).Make();
  return MakeError(arena, fmt::format("unknown type '{}'", name));
}

}  // namespace dray::cel::eval
