// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/scalar_values.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text/base64.h"
#include "base/work.h"
#include "cel/library/times.h"
#include "cel/value/make.h"
#include "custom/formats/duration.h"

namespace dray::custom::rules {

using api::Tree;
using cel::Arena;
using cel::Value;

namespace {

// As Go names the types of JSON.
std::string_view GoKind(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::kNull: return "<nil>";
    case Tree::Kind::kBool: return "bool";
    case Tree::Kind::kInteger: return "int64";
    case Tree::Kind::kDouble: return "float64";
    case Tree::Kind::kText: return "string";
    case Tree::Kind::kList: return "[]interface {}";
    case Tree::Kind::kObject: return "map[string]interface {}";
  }
  return "";
}

Value Unexpected(Arena& arena, std::string_view wanted, const Tree& tree) {
  return cel::MakeError(arena,
                        fmt::format("invalid data, expected {}, got {}", wanted, GoKind(tree)));
}

Value TimeValue(std::string_view text, std::string_view rest, std::string_view what, Arena& arena) {
  const std::string whole = std::string(text) + std::string(rest);
  const std::optional<cel::Timestamp> read = cel::library::ReadTimestamp(whole);
  if (read.has_value()) return Value::Timestamp(arena.Keep(*read));
  return cel::MakeError(arena, fmt::format("Invalid {} formatted string {}", what, text));
}

Value TextValue(std::string_view text, const Shape& shape, Arena& arena) {
  if (shape.kind == ShapeKind::kString) return Value::String(text);
  arena.work().Charge(WorkOfReading(text.size()) + 64);
  if (shape.kind == ShapeKind::kDate) {
    return TimeValue(text, "T00:00:00Z", "date", arena);
  }
  if (shape.kind == ShapeKind::kDateTime) return TimeValue(text, "", "date-time", arena);
  if (shape.kind == ShapeKind::kDuration) {
    const std::optional<int64_t> read = formats::ParseDuration(text);
    if (read.has_value()) return Value::Duration(*read);
    return cel::MakeError(arena, fmt::format("Invalid duration {}", text));
  }
  const std::optional<std::string> bytes = DecodeBase64(text);
  if (bytes.has_value()) return Value::Bytes(arena.Copy(*bytes));
  return cel::MakeError(arena, fmt::format("Invalid byte formatted string {}", text));
}

Value IntOrString(const Tree& tree) {
  if (tree.is_text()) return Value::String(tree.text());
  if (tree.is_integer()) return Value::Int(tree.integer());
  return Value::Error("invalid data, expected XIntOrString value to be either a string or integer");
}

}  // namespace

Value ScalarValue(const Tree& tree, const Shape& shape, Arena& arena) {
  if (tree.is_null()) {
    if (shape.nullable) return {};
    return Value::Error("invalid data, got null for schema with nullable=false");
  }
  switch (shape.kind) {
    case ShapeKind::kString:
    case ShapeKind::kBytes:
    case ShapeKind::kDuration:
    case ShapeKind::kDate:
    case ShapeKind::kDateTime:
      if (!tree.is_text()) return Unexpected(arena, "string", tree);
      return TextValue(tree.text(), shape, arena);
    case ShapeKind::kIntOrString: return IntOrString(tree);
    case ShapeKind::kNumber:
      if (!tree.is_number()) return Unexpected(arena, "float", tree);
      return Value::Double(tree.number());
    case ShapeKind::kInteger:
      if (!tree.is_integer()) return Unexpected(arena, "int", tree);
      return Value::Int(tree.integer());
    case ShapeKind::kBoolean:
      if (!tree.is_bool()) return Unexpected(arena, "bool", tree);
      return Value::Bool(tree.boolean());
    case ShapeKind::kList:
      return Value::Error(
          "invalid data, expected an array for the provided schema with type=array");
    case ShapeKind::kMap:
    case ShapeKind::kObject:
      return Value::Error("invalid data, expected a map for the provided schema with type=object");
    case ShapeKind::kUntyped:
    case ShapeKind::kPreserved: break;
  }
  return Value::Error("no such overload");
}

}  // namespace dray::custom::rules
