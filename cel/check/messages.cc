// SPDX-License-Identifier: Apache-2.0
#include "cel/check/messages.h"

#include <algorithm>
#include <array>

namespace dray::cel::check {
namespace {

constexpr MessageField kBool[] = {{"value", "bool", "bool"}};
constexpr MessageField kBytes[] = {{"value", "bytes", "[]uint8"}};
constexpr MessageField kDouble[] = {{"value", "double", "float64"}};
constexpr MessageField kFloat[] = {{"value", "double", "float32"}};
constexpr MessageField kInt32[] = {{"value", "int", "int32"}};
constexpr MessageField kInt64[] = {{"value", "int", "int64"}};
constexpr MessageField kString[] = {{"value", "string", "string"}};
constexpr MessageField kUint32[] = {{"value", "uint", "uint32"}};
constexpr MessageField kUint64[] = {{"value", "uint", "uint64"}};
constexpr MessageField kTime[] = {{"seconds", "int", "int64"}, {"nanos", "int", "int32"}};
constexpr MessageField kList[] = {{"values", "list(dyn)", "*structpb.Value"}};
constexpr MessageField kStruct[] = {{"fields", "map(string, dyn)", "*structpb.Value"}};
constexpr MessageField kAny[] = {{"type_url", "string", "string"}, {"value", "bytes", "[]uint8"}};
// A oneof: the last field that is given counts.
constexpr MessageField kValue[] = {{"null_value", "int", "int32"},
                                   {"number_value", "double", "float64"},
                                   {"string_value", "string", "string"},
                                   {"bool_value", "bool", "bool"},
                                   {"struct_value", "map(string, dyn)", "*structpb.Struct"},
                                   {"list_value", "list(dyn)", "*structpb.ListValue"}};

constexpr auto kMessages = std::to_array<Message>({
    {"google.protobuf.Any", "google.protobuf.Any", kAny},
    {"google.protobuf.BoolValue", "wrapper(bool)", kBool},
    {"google.protobuf.BytesValue", "wrapper(bytes)", kBytes},
    {"google.protobuf.DoubleValue", "wrapper(double)", kDouble},
    {"google.protobuf.Duration", "google.protobuf.Duration", kTime},
    {"google.protobuf.Empty", "google.protobuf.Empty", {}},
    {"google.protobuf.FloatValue", "wrapper(double)", kFloat},
    {"google.protobuf.Int32Value", "wrapper(int)", kInt32},
    {"google.protobuf.Int64Value", "wrapper(int)", kInt64},
    {"google.protobuf.ListValue", "list(dyn)", kList},
    {"google.protobuf.StringValue", "wrapper(string)", kString},
    {"google.protobuf.Struct", "map(string, dyn)", kStruct},
    {"google.protobuf.Timestamp", "google.protobuf.Timestamp", kTime},
    {"google.protobuf.UInt32Value", "wrapper(uint)", kUint32},
    {"google.protobuf.UInt64Value", "wrapper(uint)", kUint64},
    {"google.protobuf.Value", "dyn", kValue},
});

}  // namespace

std::optional<std::string_view> Message::TypeOf(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &MessageField::name);
  return found == fields.end() ? std::nullopt : std::optional(found->type);
}

std::span<const Message> Messages() {
  return kMessages;
}

const Message* FindMessage(std::string_view name) {
  const auto found = std::ranges::lower_bound(kMessages, name, {}, &Message::name);
  return found != kMessages.end() && found->name == name ? &*found : nullptr;
}

bool MayBeMessage(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kNull:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kWrapper:
    case TypeKind::kObject:
    case TypeKind::kList: return true;  // of any elements, also the bare name
    case TypeKind::kMap: return type.parameters[0]->kind == TypeKind::kString;
    case TypeKind::kError:
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kType:
    case TypeKind::kOptional:
    case TypeKind::kOpaque:
    case TypeKind::kParameter: break;
  }
  return false;
}

}  // namespace dray::cel::check
