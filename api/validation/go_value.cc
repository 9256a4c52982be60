// SPDX-License-Identifier: Apache-2.0
#include "api/validation/go_value.h"

#include <utility>

#include "api/json.h"

namespace dray::api::validation {
namespace {

/// exactly → Exactly; the one abbreviation among the types that are printed so is CEL.
std::string GoName(std::string_view json_name) {
  if (json_name == "cel") return "CEL";
  std::string name(json_name);
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

void Append(const Type& type, const void* value, std::string& out);

/// The members of an ObjectMeta, as JSON has them.
void AppendMetadata(const Type& type, const void* value, char& separator, std::string& out) {
  std::string json;
  EncodeJson(type, value, json);
  if (json.size() <= 2) return;
  out += std::exchange(separator, ',');
  out.append(json, 1, json.size() - 2);
}

void AppendMembers(const Type& type, const void* value, char& separator, std::string& out) {
  for (const Field& field : type.fields) {
    const Type& member = field.type();
    if (member.name == "ObjectMeta") {
      AppendMetadata(member, field.of(value), separator, out);
    } else if (field.facets.inlined) {
      AppendMembers(member, field.of(value), separator, out);
    } else {
      out += std::exchange(separator, ',');
      QuoteJson(GoName(field.name), out);
      out += ':';
      Append(member, field.of(value), out);
    }
  }
}

void AppendList(const Type& type, const void* list, std::string& out) {
  const size_t size = type.container->size(list);
  char separator = '[';
  for (size_t i = 0; i < size; ++i) {
    out += std::exchange(separator, ',');
    Append(type.element(), type.container->at(list, i), out);
  }
  out += size == 0 ? "null" : "]";
}

void AppendMap(const Type& type, const void* map, std::string& out) {
  char separator = '{';
  VisitMap(type, map, [&](std::string_view key, const void* element) {
    out += std::exchange(separator, ',');
    QuoteJson(key, out);
    out += ':';
    Append(type.element(), element, out);
  });
  out += separator == '{' ? "null" : "}";
}

void Append(const Type& type, const void* value, std::string& out) {
  switch (type.kind) {
    case TypeKind::kStruct: {
      char separator = '{';
      AppendMembers(type, value, separator, out);
      out += separator == '{' ? "{}" : "}";
      return;
    }
    case TypeKind::kOptional:
      if (type.container->size(value) == 0) {
        out += "null";
      } else {
        Append(type.element(), type.container->at(value, 0), out);
      }
      return;
    case TypeKind::kList: AppendList(type, value, out); return;
    case TypeKind::kMap: AppendMap(type, value, out); return;
    case TypeKind::kBool:
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kQuantity:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString:
    case TypeKind::kRawJson: EncodeJson(type, value, out); return;
  }
}

}  // namespace

std::string ShownAsGo(const Type& type, const void* value) {
  std::string out;
  Append(type, value, out);
  return out;
}

}  // namespace dray::api::validation
