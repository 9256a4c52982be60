// SPDX-License-Identifier: Apache-2.0
#include "api/validation/go_value.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"
#include "api/conversion/structs.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"

namespace dray::api::validation {
namespace {

struct GoNamed {
  std::string_view json, go;
};
constexpr GoNamed kGoNames[] = {{"caBundle", "CABundle"},
                                {"cel", "CEL"},
                                {"id", "ID"},
                                {"jsonPath", "JSONPath"},
                                {"url", "URL"}};

/// x-kubernetes-list-map-keys → XListMapKeys, $ref → Ref.
std::string GoNameOfSchema(std::string_view json_name) {
  constexpr std::string_view kExtension = "x-kubernetes-";
  if (json_name.starts_with('$')) json_name.remove_prefix(1);
  const bool is_extension = json_name.starts_with(kExtension);
  if (is_extension) json_name.remove_prefix(kExtension.size());
  std::string name = is_extension ? "X" : "";
  bool begins = true;
  for (const char c : json_name) {
    if (c != '-') name += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-';
  }
  return name;
}

/// exactly → Exactly, cel → CEL; the values of an attribute have longer names inside: int →
/// IntValue, ints → IntValues.
std::string GoName(std::string_view json_name, const Type& type) {
  const auto* const known = std::ranges::find(kGoNames, json_name, &GoNamed::json);
  if (known != std::end(kGoNames)) return std::string(known->go);
  if (type.name == "JSONSchemaProps") return GoNameOfSchema(json_name);
  std::string name(json_name);
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  if (type.name != "DeviceAttribute") return name;
  const bool is_list = name.ends_with('s');
  if (is_list) name.pop_back();
  return name + (is_list ? "Values" : "Value");
}

/// Writes a value as one of JSON, under Go's names.
class GoValueWriter {
 public:
  GoValueWriter(Wire wire, JsonWriter& json) : wire_(wire), json_(json) {}

  void Write(const Type& type, const void* value) {
    switch (type.kind) {
      case TypeKind::kStruct: return json_.Object([&] { Members(type, value); });
      case TypeKind::kOptional:
        if (type.container->size(value) == 0) return json_.Value(nullptr);
        return Write(type.element(), type.container->at(value, 0));
      case TypeKind::kList: return List(type, value);
      case TypeKind::kMap: return Map(type, value);
      case TypeKind::kBool:
      case TypeKind::kInt32:
      case TypeKind::kInt64:
      case TypeKind::kDouble:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kQuantity:
      case TypeKind::kTime:
      case TypeKind::kMicroTime:
      case TypeKind::kDuration:
      case TypeKind::kIntOrString:
      case TypeKind::kRawJson: return EncodeJson(type, value, json_);
    }
  }

 private:
  void Members(const Type& type, const void* value) {
    for (const Field& field : type.fields) {
      if (!field.IsOn(wire_)) continue;
      const Type& member = field.type();
      if (member.name == "ObjectMeta") {
        Metadata(member, field.of(value));
      } else if (field.facets.inlined) {
        Members(member, field.of(value));
      } else {
        json_.Member(GoName(field.name, type));
        Write(member, field.of(value));
      }
    }
  }

  /// The members of an ObjectMeta, which is inlined and written as JSON has it.
  void Metadata(const Type& type, const void* value) {
    std::string metadata;
    EncodeJson(type, value, metadata);
    JsonReader reader(metadata);
    std::string_view name;
    reader.EnterObject();
    while (reader.NextKey(name)) json_.Member(name).Raw(reader.Skip());
  }

  void List(const Type& type, const void* list) {
    if (!type.container->present(list)) return json_.Value(nullptr);
    json_.Array([&] {
      const size_t size = type.container->size(list);
      for (size_t i = 0; i < size; ++i) Write(type.element(), type.container->at(list, i));
    });
  }

  void Map(const Type& type, const void* map) {
    if (type.container->size(map) == 0) return json_.Value(nullptr);
    json_.Object([&] {
      VisitMap(type, map, [&](std::string_view key, const void* element) {
        json_.Member(key);
        Write(type.element(), element);
      });
    });
  }

  Wire wire_;
  JsonWriter& json_;
};

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
    return JsonText(
        [&](JsonWriter& json) { GoValueWriter({.release = release}, json).Write(type, value); });
  }
  const auto* const shape =
      std::ranges::find_if(kShapes, [&](const Shape& one) { return &one.hub() == &type; });
  return shape == kShapes.end() ? GoSource(type, value, release)
                                : shape->source(type, value, release);
}

}  // namespace dray::api::validation
