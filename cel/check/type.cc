// SPDX-License-Identifier: Apache-2.0
#include "cel/check/type.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace dray::cel {
namespace {

struct KindText {
  TypeKind kind;
  std::string_view declared;
  std::string_view checker;
};

constexpr auto kKindTexts = std::to_array<KindText>({
    {TypeKind::kError, "*error*", "!error!"},
    {TypeKind::kDyn, "dyn", "dyn"},
    {TypeKind::kAny, "google.protobuf.Any", "any"},
    {TypeKind::kNull, "null_type", "null"},
    {TypeKind::kBool, "bool", "bool"},
    {TypeKind::kInt, "int", "int"},
    {TypeKind::kUint, "uint", "uint"},
    {TypeKind::kDouble, "double", "double"},
    {TypeKind::kString, "string", "string"},
    {TypeKind::kBytes, "bytes", "bytes"},
    {TypeKind::kTimestamp, "google.protobuf.Timestamp", "timestamp"},
    {TypeKind::kDuration, "google.protobuf.Duration", "duration"},
    {TypeKind::kList, "list", "list"},
    {TypeKind::kMap, "map", "map"},
    {TypeKind::kType, "type", "type"},
    {TypeKind::kOptional, "optional_type", "optional_type"},
    {TypeKind::kObject, "", ""},
    {TypeKind::kOpaque, "", ""},
    {TypeKind::kParameter, "", ""},
});

const KindText& TextOf(TypeKind kind) {
  return *std::ranges::find(kKindTexts, kind, &KindText::kind);
}

TypeKind KindOf(std::string_view name) {
  for (const KindText& text : kKindTexts) {
    if (!name.empty() && (name == text.declared || name == text.checker)) return text.kind;
  }
  if (name.starts_with('$')) return TypeKind::kParameter;
  return name.starts_with("net.") ? TypeKind::kOpaque : TypeKind::kObject;
}

std::string Write(const Type& type, std::string_view KindText::* column) {
  const std::string_view word = TextOf(type.kind).*column;
  std::string out(word.empty() ? std::string_view(type.name) : word);
  if (type.parameters.empty()) return out;
  out += '(';
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += Write(*type.parameters[i], column);
  }
  return out + ')';
}

}  // namespace

const Type* TypePool::Make(TypeKind kind, std::vector<const Type*> parameters) {
  return &types_.emplace_back(Type{.kind = kind, .name = {}, .parameters = std::move(parameters)});
}

const Type* TypePool::MakeNamed(TypeKind kind, std::string_view name) {
  return &types_.emplace_back(Type{.kind = kind, .name = std::string(name), .parameters = {}});
}

const Type* TypePool::Parse(std::string_view text) {
  const size_t open = text.find('(');
  const std::string_view word = text.substr(0, open);
  const TypeKind kind = KindOf(word);
  if (open == std::string_view::npos) {
    return TextOf(kind).declared.empty() ? MakeNamed(kind, word) : Make(kind);
  }
  std::vector<const Type*> parameters;
  int depth = 0;
  size_t start = open + 1;
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if ((text[i] == ',' || text[i] == ')') && depth == 0) {
      while (text[start] == ' ') ++start;
      parameters.push_back(Parse(text.substr(start, i - start)));
      start = i + 1;
    }
    if (text[i] == ')') --depth;
  }
  return Make(kind, std::move(parameters));
}

bool SameType(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.parameters.size() != b.parameters.size()) {
    return false;
  }
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!SameType(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

std::string CheckerName(const Type& type) {
  return Write(type, &KindText::checker);
}
std::string DeclaredName(const Type& type) {
  return Write(type, &KindText::declared);
}
std::string_view KindName(TypeKind kind) {
  return TextOf(kind).declared;
}

}  // namespace dray::cel
