// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/shape.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <utility>

#include "api/codec/tree_json.h"
#include "api/value/tree.h"
#include "custom/rules/field_names.h"

namespace dray::custom::rules {
namespace {

using api::apiextensions_v1::JSONSchemaProps;

// Bytes of the shortest JSON of a scalar, quotes included (apiserver, pkg/cel/limits.go).
constexpr int64_t kStringBytesMin = 2;
constexpr int64_t kContainerBytesMin = 2;
constexpr int64_t kDurationBytesMin = 3;
constexpr int64_t kDateBytes = 12;
constexpr int64_t kDateTimeBytesMin = 21;
constexpr int64_t kBooleanBytesMin = 4;
constexpr int64_t kNumberBytesMin = 1;
constexpr int64_t kTimeBytesMax = 32;
// Bytes of the quotes and the colon of a member, and of the comma behind it.
constexpr int64_t kMemberBytes = 4;
constexpr int64_t kMapMemberBytes = 6;  // and a short name
constexpr int64_t kTextMax = kRequestBytesMax - 2;
constexpr int64_t kBytesOfCharacter = 4;

constexpr int64_t kNameLengthMax = 253;  // of an object

int64_t NotNegative(int64_t number) {
  return std::max<int64_t>(number, 0);
}

// Wraps around for absurd lengths, as upstream's does.
int64_t BytesOfCharacters(int64_t characters) {
  return static_cast<int64_t>(static_cast<uint64_t>(NotNegative(characters)) *
                              uint64_t{kBytesOfCharacter});
}

// The longest text among the values of an enum.
int64_t LongestText(const JSONSchemaProps& schema) {
  size_t longest = 0;
  for (const api::AnyJson& value : schema.enum_) {
    const Result<api::Tree> tree = api::ReadTree(value.bytes());
    if (tree.has_value() && tree->is_text()) longest = std::max(longest, tree->text().size());
  }
  return static_cast<int64_t>(longest);
}

bool HasDefault(const JSONSchemaProps& schema) {
  return schema.default_.has_value() && !schema.default_->IsNull();
}

void MakeScalar(Shape& shape, ShapeKind kind, int64_t bytes_min, int64_t elements_max) {
  shape.kind = kind;
  shape.is_exposed = true;
  shape.bytes_min = bytes_min;
  shape.elements_max = elements_max;
}

void MakeText(Shape& shape, const JSONSchemaProps& schema) {
  const std::optional<int64_t>& longest = schema.max_length;
  if (schema.format == "byte") {
    const int64_t bytes = longest.has_value() ? NotNegative(*longest) : kTextMax;
    return MakeScalar(shape, ShapeKind::kBytes, kStringBytesMin, bytes);
  }
  if (schema.format == "duration") {
    return MakeScalar(shape, ShapeKind::kDuration, kDurationBytesMin, kTimeBytesMax);
  }
  if (schema.format == "date") {
    return MakeScalar(shape, ShapeKind::kDate, kDateBytes, kDateBytes);
  }
  if (schema.format == "date-time") {
    return MakeScalar(shape, ShapeKind::kDateTime, kDateTimeBytesMin, kTimeBytesMax);
  }
  int64_t bytes = kTextMax;
  if (longest.has_value()) {
    bytes = BytesOfCharacters(*longest);
  } else if (!schema.enum_.empty()) {
    bytes = LongestText(schema);
  }
  MakeScalar(shape, ShapeKind::kString, kStringBytesMin, bytes);
}

cel::ListRule RuleOf(const JSONSchemaProps& schema) {
  if (schema.x_kubernetes_list_type == "set") return cel::ListRule::kSet;
  if (schema.x_kubernetes_list_type == "map") return cel::ListRule::kMap;
  return cel::ListRule::kAtomic;
}

void MakeList(Shape& shape, const JSONSchemaProps& schema) {
  shape.kind = ShapeKind::kList;
  shape.bytes_min = kContainerBytesMin;
  shape.list_rule = RuleOf(schema);
  for (const std::string& key : schema.x_kubernetes_list_map_keys) {
    shape.keys.push_back(key);
    shape.key_identifiers.push_back(EscapeName(key).value_or(key));
  }
  shape.key_views.assign(shape.key_identifiers.begin(), shape.key_identifiers.end());
  const JSONSchemaProps* const items = ItemsOf(schema);
  if (items == nullptr) return;
  shape.element = MakeShape(*items, PlaceOf(*items));
  shape.is_exposed = shape.element->is_exposed;
  shape.elements_max = schema.max_items.has_value()
                           ? NotNegative(*schema.max_items)
                           : (kRequestBytesMax - 2) / (shape.element->bytes_min + 1);
}

void MakeMap(Shape& shape, const JSONSchemaProps& schema, const JSONSchemaProps& values) {
  shape.kind = ShapeKind::kMap;
  shape.bytes_min = kContainerBytesMin;
  shape.element = MakeShape(values, PlaceOf(values));
  shape.is_exposed = shape.element->is_exposed;
  shape.elements_max = schema.max_properties.has_value()
                           ? NotNegative(*schema.max_properties)
                           : (kRequestBytesMax - 2) / (shape.element->bytes_min + kMapMemberBytes);
}

// The schema of a text of at most `longest` characters, or fewer if `declared` says so.
JSONSchemaProps TextOfLength(const JSONSchemaProps* declared, int64_t longest) {
  JSONSchemaProps schema;
  schema.type = "string";
  const bool is_shorter =
      declared != nullptr && declared->max_length.has_value() && *declared->max_length < longest;
  schema.max_length = is_shorter ? *declared->max_length : longest;
  return schema;
}

const JSONSchemaProps* PropertyOf(const JSONSchemaProps* schema, std::string_view name) {
  if (schema == nullptr) return nullptr;
  const auto found = schema->properties.find(name);
  return found == schema->properties.end() ? nullptr : &found->second;
}

bool HasType(const JSONSchemaProps* schema, std::string_view type) {
  return schema != nullptr && schema->type == type;
}

using Property = std::pair<std::string_view, const JSONSchemaProps*>;

// What whole objects have though their schema does not say so.
struct ResourceFields {
  explicit ResourceFields(const JSONSchemaProps& schema) {
    const JSONSchemaProps* const declared = PropertyOf(&schema, "metadata");
    const JSONSchemaProps* const name = PropertyOf(declared, "name");
    const JSONSchemaProps* const generate_name = PropertyOf(declared, "generateName");
    is_needed = !HasType(PropertyOf(&schema, "kind"), "string") ||
                !HasType(PropertyOf(&schema, "apiVersion"), "string") ||
                !HasType(declared, "object") || !HasType(name, "string") ||
                !HasType(generate_name, "string");
    text.type = "string";
    metadata.type = "object";
    metadata.properties.insert_or_assign("name", TextOfLength(name, kNameLengthMax));
    // What is added to it has one byte at least.
    metadata.properties.insert_or_assign("generateName",
                                         TextOfLength(generate_name, kNameLengthMax - 1));
  }

  bool is_needed = false;
  JSONSchemaProps text;
  JSONSchemaProps metadata;
};

// The properties of an object by name; of those in `more` where it is whole.
std::vector<Property> PropertiesOf(const JSONSchemaProps& schema, const ResourceFields* more) {
  std::vector<Property> out;
  if (more != nullptr && !more->is_needed) more = nullptr;
  if (more != nullptr) {
    out = {{"apiVersion", &more->text}, {"kind", &more->text}, {"metadata", &more->metadata}};
  }
  const size_t added = out.size();
  for (const auto& [name, property] : schema.properties) {
    const bool is_replaced =
        std::ranges::find(
            out.begin(), out.begin() + static_cast<ptrdiff_t>(added), name, &Property::first) !=
        out.begin() + static_cast<ptrdiff_t>(added);
    if (!is_replaced) out.emplace_back(name, &property);
  }
  std::ranges::sort(out, {}, &Property::first);
  return out;
}

void MakeObject(Shape& shape, const JSONSchemaProps& schema, ShapePlace place) {
  shape.kind = ShapeKind::kObject;
  shape.is_exposed = true;
  shape.bytes_min = kContainerBytesMin;
  std::optional<ResourceFields> whole;
  if (place == ShapePlace::kResourceRoot) whole.emplace(schema);
  shape.has_fields = whole.has_value() || !schema.properties.empty();
  const std::unordered_set<std::string_view> required(schema.required.begin(),
                                                      schema.required.end());
  for (const auto& [name, property] : PropertiesOf(schema, whole.has_value() ? &*whole : nullptr)) {
    ShapeField field{.name = std::string(name),
                     .identifier = EscapeName(name).value_or(""),
                     .shape = MakeShape(*property, PlaceOf(*property)),
                     .is_declared = schema.properties.contains(name)};
    const bool counts =
        field.shape->is_exposed && required.contains(name) && !HasDefault(*property);
    if (counts) {
      shape.bytes_min += static_cast<int64_t>(name.size()) + field.shape->bytes_min + kMemberBytes;
    }
    shape.fields.push_back(std::move(field));
  }
}

}  // namespace

const JSONSchemaProps* ValuesOf(const JSONSchemaProps& schema) {
  const auto& values = schema.additional_properties;
  return values.has_value() && values->schema.has_value() ? &*values->schema : nullptr;
}

const JSONSchemaProps* ItemsOf(const JSONSchemaProps& schema) {
  const auto& items = schema.items;
  return items.has_value() && items->schema.has_value() ? &*items->schema : nullptr;
}

ShapePlace PlaceOf(const JSONSchemaProps& schema) {
  return schema.x_kubernetes_embedded_resource ? ShapePlace::kResourceRoot : ShapePlace::kInside;
}

uint64_t OccurrencesMax(const Shape& shape) {
  return static_cast<uint64_t>(kRequestBytesMax / (shape.bytes_min + 1));
}

const ShapeField* Shape::FindField(std::string_view name) const {
  const auto found = std::ranges::lower_bound(fields, name, {}, &ShapeField::name);
  return found != fields.end() && found->name == name ? &*found : nullptr;
}

const ShapeField* Shape::FindIdentifier(std::string_view identifier) const {
  const std::optional<std::string> name = UnescapeName(identifier);
  if (!name.has_value()) return nullptr;
  const ShapeField* const field = FindField(*name);
  if (field == nullptr || field->identifier.empty() || !field->shape->is_exposed) return nullptr;
  // "a__b" has another identifier, though it is what this one stands for.
  const bool is_its_own = field->identifier == identifier || IsReservedWord(identifier);
  return is_its_own ? field : nullptr;
}

const Shape* Shape::FindMember(std::string_view name) const {
  if (kind == ShapeKind::kMap) return element.get();
  const ShapeField* const field = FindField(name);
  return field == nullptr ? nullptr : field->shape.get();
}

std::unique_ptr<const Shape> MakeShape(const JSONSchemaProps& schema, ShapePlace place) {
  auto made = std::make_unique<Shape>();
  Shape& shape = *made;
  shape.nullable = schema.nullable;
  shape.type = schema.type;
  const JSONSchemaProps* const values = ValuesOf(schema);
  if (schema.x_kubernetes_int_or_string) {
    const int64_t bytes =
        schema.max_length.has_value() ? BytesOfCharacters(*schema.max_length) : kTextMax;
    MakeScalar(shape, ShapeKind::kIntOrString, kNumberBytesMin, bytes);
  } else if (schema.type == "array") {
    MakeList(shape, schema);
  } else if (schema.type == "object" && values != nullptr && place == ShapePlace::kInside) {
    MakeMap(shape, schema, *values);
  } else if (schema.type == "object") {
    MakeObject(shape, schema, place);
  } else if (schema.type == "string") {
    MakeText(shape, schema);
  } else if (schema.type == "boolean") {
    MakeScalar(shape, ShapeKind::kBoolean, kBooleanBytesMin, 0);
  } else if (schema.type == "number") {
    MakeScalar(shape, ShapeKind::kNumber, kNumberBytesMin, 0);
  } else if (schema.type == "integer") {
    MakeScalar(shape, ShapeKind::kInteger, kNumberBytesMin, 0);
  } else if (schema.x_kubernetes_preserve_unknown_fields == true) {
    shape.kind = ShapeKind::kPreserved;
  }
  return made;
}

}  // namespace dray::custom::rules
