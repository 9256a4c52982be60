// SPDX-License-Identifier: Apache-2.0
#include "api/validation/go_value.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/codec/json.h"
#include "api/conversion/structs.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"

namespace dray::api::validation {
namespace {

/// exactly → Exactly, cel → CEL; the values of an attribute have longer names inside: int →
/// IntValue, ints → IntValues.
std::string GoName(std::string_view json_name, const Type& type) {
  if (json_name == "cel") return "CEL";
  std::string name(json_name);
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  if (type.name != "DeviceAttribute") return name;
  const bool is_list = name.ends_with('s');
  if (is_list) name.pop_back();
  return name + (is_list ? "Values" : "Value");
}

void Append(const Type& type, const void* value, Wire wire, std::string& out);

/// The members of an ObjectMeta, as JSON has them.
void AppendMetadata(const Type& type, const void* value, char& separator, std::string& out) {
  std::string json;
  EncodeJson(type, value, json);
  if (json.size() <= 2) return;
  out += std::exchange(separator, ',');
  out.append(json, 1, json.size() - 2);
}

void AppendMembers(
    const Type& type, const void* value, Wire wire, char& separator, std::string& out) {
  for (const Field& field : type.fields) {
    if (!field.IsOn(wire)) continue;
    const Type& member = field.type();
    if (member.name == "ObjectMeta") {
      AppendMetadata(member, field.of(value), separator, out);
    } else if (field.facets.inlined) {
      AppendMembers(member, field.of(value), wire, separator, out);
    } else {
      out += std::exchange(separator, ',');
      QuoteJson(GoName(field.name, type), out);
      out += ':';
      Append(member, field.of(value), wire, out);
    }
  }
}

void AppendList(const Type& type, const void* list, Wire wire, std::string& out) {
  const size_t size = type.container->size(list);
  if (size == 0) {
    out += type.container->present(list) ? "[]" : "null";
    return;
  }
  char separator = '[';
  for (size_t i = 0; i < size; ++i) {
    out += std::exchange(separator, ',');
    Append(type.element(), type.container->at(list, i), wire, out);
  }
  out += ']';
}

void AppendMap(const Type& type, const void* map, Wire wire, std::string& out) {
  char separator = '{';
  VisitMap(type, map, [&](std::string_view key, const void* element) {
    out += std::exchange(separator, ',');
    QuoteJson(key, out);
    out += ':';
    Append(type.element(), element, wire, out);
  });
  out += separator == '{' ? "null" : "}";
}

void Append(const Type& type, const void* value, Wire wire, std::string& out) {
  switch (type.kind) {
    case TypeKind::kStruct: {
      char separator = '{';
      AppendMembers(type, value, wire, separator, out);
      out += separator == '{' ? "{}" : "}";
      return;
    }
    case TypeKind::kOptional:
      if (type.container->size(value) == 0) {
        out += "null";
      } else {
        Append(type.element(), type.container->at(value, 0), wire, out);
      }
      return;
    case TypeKind::kList: AppendList(type, value, wire, out); return;
    case TypeKind::kMap: AppendMap(type, value, wire, out); return;
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

constexpr Releases kGoSource = {.first = 0, .last = 32};

template <class Twin>
std::string AsTwin(const Type& hub, const void* value, Release release) {
  Twin twin;
  conversion::ConvertValue({.direction = conversion::Direction::kFromHub, .release = release},
                           hub,
                           value,
                           TypeOf<Twin>(),
                           &twin);
  return GoSource(TypeOf<Twin>(), &twin, release);
}

// Up to 1.32 the internal types had the shape of v1alpha3 and v1beta1.
struct Shape {
  const Type& (*hub)();
  std::string (*source)(const Type& hub, const void* value, Release release);
};

template <class Hub, class In1_31, class In1_32>
constexpr Shape kShape{.hub = &TypeOf<Hub>,
                       .source = [](const Type& hub, const void* value, Release release) {
                         return release == Release::k1_31 ? AsTwin<In1_31>(hub, value, release)
                                                          : AsTwin<In1_32>(hub, value, release);
                       }};

namespace v1 = resource_v1;
namespace a3 = resource_v1alpha3;
namespace b1 = resource_v1beta1;

constexpr std::array kShapes = {
    kShape<v1::ResourceClaimSpec, a3::ResourceClaimSpec, b1::ResourceClaimSpec>,
    kShape<v1::ResourceClaimTemplateSpec,
           a3::ResourceClaimTemplateSpec,
           b1::ResourceClaimTemplateSpec>,
    kShape<v1::AllocationResult, a3::AllocationResult, b1::AllocationResult>,
    kShape<v1::ResourceSliceSpec, a3::ResourceSliceSpec, b1::ResourceSliceSpec>,
    kShape<v1::DeviceAttribute, a3::DeviceAttribute, b1::DeviceAttribute>};

}  // namespace

std::string ShownAsGo(const Type& type, const void* value, Release release) {
  if (!kGoSource.Rules(release)) {
    std::string out;
    Append(type, value, {.release = release}, out);
    return out;
  }
  const auto* const shape =
      std::ranges::find_if(kShapes, [&](const Shape& one) { return &one.hub() == &type; });
  return shape == kShapes.end() ? GoSource(type, value, release)
                                : shape->source(type, value, release);
}

}  // namespace dray::api::validation
