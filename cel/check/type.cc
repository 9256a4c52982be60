// SPDX-License-Identifier: Apache-2.0
#include "cel/check/type.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"

namespace dray::cel::check {
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
    {TypeKind::kWrapper, "wrapper", "wrapper"},
    {TypeKind::kObject, "", ""},
    {TypeKind::kOpaque, "", ""},
    {TypeKind::kParameter, "", ""},
});

constexpr auto kSimpleTypes = [] {
  std::array<Type, kKindTexts.size()> types;
  for (const KindText& text : kKindTexts) types[static_cast<size_t>(text.kind)].kind = text.kind;
  return types;
}();

const KindText& TextOf(TypeKind kind) {
  return kKindTexts[static_cast<size_t>(kind)];
}

TypeKind KindOf(std::string_view name) {
  for (const KindText& text : kKindTexts) {
    if (!name.empty() && (name == text.declared || name == text.checker)) return text.kind;
  }
  if (name.starts_with('$')) return TypeKind::kParameter;
  return name.starts_with("net.") ? TypeKind::kOpaque : TypeKind::kObject;
}

std::string Write(const Type& type, std::string_view KindText::* column) {
  if (type.kind == TypeKind::kParameter && type.name.empty()) {
    return "_var" + std::to_string(type.variable);
  }
  const std::string_view word = TextOf(type.kind).*column;
  std::string out(word.empty() ? type.name : word);
  if (type.parameters.empty()) return out;
  out += '(';
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += Write(*type.parameters[i], column);
  }
  return out + ')';
}

bool IsGeneric(std::span<const Type* const> parameters) {
  return std::ranges::any_of(parameters, &Type::is_generic);
}

uint32_t NumberOf(std::string_view name, TypePool::Names& names) {
  const std::span<std::string_view> known = names.names.first(names.count);
  const auto found = std::ranges::find(known, name);
  if (found != known.end()) return static_cast<uint32_t>(found - known.begin());
  DRAY_CHECK(names.count < names.names.size());
  names.names[names.count] = name;
  return names.count++;
}

}  // namespace

const Type* SimpleType(TypeKind kind) {
  return &kSimpleTypes[static_cast<size_t>(kind)];
}

const Type* NoType() {
  static constexpr Type kNoType = {.kind = TypeKind::kObject};
  return &kNoType;
}

const Type* TypePool::Make(TypeKind kind, std::span<const Type* const> parameters) {
  if (parameters.empty()) return SimpleType(kind);
  return memory_.Make<Type>(Type{.kind = kind,
                                 .is_generic = IsGeneric(parameters),
                                 .variable = 0,
                                 .name = {},
                                 .parameters = memory_.Copy(parameters)});
}

const Type* TypePool::Make(TypeKind kind, std::initializer_list<const Type*> parameters) {
  return Make(kind, std::span<const Type* const>(parameters));
}

const Type* TypePool::Make(const Type& type, std::span<const Type* const> parameters) {
  Type made = type;
  made.parameters = memory_.Copy(parameters);
  made.is_generic = IsGeneric(parameters);
  return memory_.Make<Type>(made);
}

const Type* TypePool::MakeNamed(TypeKind kind, std::string_view name) {
  Type named;
  named.kind = kind;
  named.name = memory_.Copy(name);
  return memory_.Make<Type>(named);
}

const Type* TypePool::MakeVariable(uint32_t variable) {
  Type made;
  made.kind = TypeKind::kParameter;
  made.is_generic = true;
  made.variable = variable;
  return memory_.Make<Type>(made);
}

const Type* TypePool::Parse(std::string_view text, Names& names) {
  const size_t open = text.find('(');
  const std::string_view word = text.substr(0, open);
  const TypeKind kind = KindOf(word);
  if (open == std::string_view::npos) {
    if (kind == TypeKind::kParameter) {
      Type* const made = memory_.Make<Type>(*MakeVariable(NumberOf(word, names)));
      made->name = memory_.Copy(word.substr(1));
      return made;
    }
    return TextOf(kind).declared.empty() ? MakeNamed(kind, word) : SimpleType(kind);
  }
  std::vector<const Type*> parameters;
  int depth = 0;
  size_t start = open + 1;
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if ((text[i] == ',' || text[i] == ')') && depth == 0) {
      while (text[start] == ' ') ++start;
      parameters.push_back(Parse(text.substr(start, i - start), names));
      start = i + 1;
    }
    if (text[i] == ')') --depth;
  }
  if (!TextOf(kind).declared.empty()) return Make(kind, parameters);
  return Make(*MakeNamed(TypeKind::kOpaque, word), parameters);
}

const Type* TypePool::Parse(std::string_view text) {
  Names none;
  return Parse(text, none);
}

bool SameType(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.variable != b.variable || a.parameters.size() != b.parameters.size()) {
    return false;
  }
  if (a.kind != TypeKind::kParameter && a.name != b.name) return false;
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

}  // namespace dray::cel::check
