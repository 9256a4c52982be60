// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/structural.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "api/reflect.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

bool PreservesUnknown(const JSONSchemaProps& schema) {
  return schema.x_kubernetes_preserve_unknown_fields.value_or(false);
}

/// Whether no member besides `allowed` is set.
bool HasOnly(const JSONSchemaProps& schema, std::initializer_list<std::string_view> allowed) {
  const api::Type& type = api::TypeOf<JSONSchemaProps>();
  uint64_t filled = type.filled(&schema);
  for (size_t i = 0; filled != 0; ++i, filled >>= 1U) {
    if ((filled & 1U) != 0 && std::ranges::find(allowed, type.fields[i].name) == allowed.end()) {
      return false;
    }
  }
  return true;
}

bool IsJustType(const JSONSchemaProps& schema, std::string_view type) {
  return schema.type == type && HasOnly(schema, {"type"});
}

/// anyOf with integer and string, which declares an int-or-string.
bool IsIntOrString(const JSONSchemaProps& schema) {
  return schema.any_of.size() == 2 && IsJustType(schema.any_of[0], "integer") &&
         IsJustType(schema.any_of[1], "string");
}

// ----------------------------------------------------------------------------------------- members

enum class Level : uint8_t { kRoot, kItem, kField };

std::string_view MissingType(Level level) {
  switch (level) {
    case Level::kRoot: return "must not be empty at the root";
    case Level::kItem: return "must not be empty for specified array items";
    case Level::kField: return "must not be empty for specified object fields";
  }
  return {};
}

/// Where logic may say anyOf with types.
enum class AnyOfTypes : uint8_t { kNowhere, kHere, kInFirstAllOf };

class StructuralCheck {
 public:
  StructuralCheck(FieldErrors& errors, Patterns& patterns) : errors_(errors), patterns_(patterns) {}

  void Node(const JSONSchemaProps& schema, Level level, const Path& path) {
    if (errors_.is_full()) return;
    Children(schema, level, path);
    CheckExtensions(schema, path);
    Logic(schema, LogicOf(schema), path);
    CheckType(schema, level, path);
    const bool has_metadata = level == Level::kRoot || schema.x_kubernetes_embedded_resource;
    if (has_metadata) CheckTypeMeta(schema, path);
    const auto metadata = schema.properties.find("metadata");
    if (has_metadata && metadata != schema.properties.end()) {
      const Path properties = path.Child("properties");
      CheckMetadata(metadata->second, level, properties.Key("metadata"));
    }
    if (schema.x_kubernetes_embedded_resource && !PreservesUnknown(schema) &&
        schema.properties.empty()) {
      errors_.Required(path.Child("properties"),
                       "must not be empty if x-kubernetes-embedded-resource is true without "
                       "x-kubernetes-preserve-unknown-fields");
    }
  }

 private:
  static AnyOfTypes LogicOf(const JSONSchemaProps& schema) {
    if (IsIntOrString(schema)) return AnyOfTypes::kHere;
    const bool in_all_of = !schema.all_of.empty() && IsIntOrString(schema.all_of[0]);
    return in_all_of ? AnyOfTypes::kInFirstAllOf : AnyOfTypes::kNowhere;
  }

  void Children(const JSONSchemaProps& schema, Level level, const Path& path) {
    const JSONSchemaProps* items = ItemsOf(schema);
    if (schema.type == "array" && items == nullptr) {
      errors_.Required(path.Child("items"), "must be specified");
    }
    if (items != nullptr) Node(*items, Level::kItem, path.Child("items"));
    const Path properties = path.Child("properties");
    for (const auto& [name, member] : schema.properties) {
      Node(member, Level::kField, properties.Key(name));
    }
    if (!schema.additional_properties.has_value()) return;
    const Path additional = path.Child("additionalProperties");
    if (level == Level::kRoot) errors_.Forbidden(additional, "must not be used at the root");
    if (schema.x_kubernetes_embedded_resource) {
      errors_.Forbidden(additional, "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (schema.additional_properties->schema.has_value()) {
      Node(*schema.additional_properties->schema, Level::kField, additional);
    }
  }

  void CheckExtensions(const JSONSchemaProps& schema, const Path& path) {
    if (!schema.x_kubernetes_int_or_string) return;
    constexpr std::string_view kFalse = "must be false if x-kubernetes-int-or-string is true";
    if (PreservesUnknown(schema)) {
      errors_.Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), "true", kFalse);
    }
    if (schema.x_kubernetes_embedded_resource) {
      errors_.Invalid(path.Child("x-kubernetes-embedded-resource"), "true", kFalse);
    }
  }

  void CheckType(const JSONSchemaProps& schema, Level level, const Path& path) {
    const Path type = path.Child("type");
    constexpr std::string_view kEmbedded =
        "must be object if x-kubernetes-embedded-resource is true";
    const bool may_lack = schema.x_kubernetes_int_or_string || PreservesUnknown(schema);
    if (schema.x_kubernetes_embedded_resource && schema.type != "object") {
      if (schema.type.empty()) {
        errors_.Required(type, kEmbedded);
      } else {
        errors_.Invalid(type, Shown(schema.type), kEmbedded);
      }
    } else if (schema.type.empty() && !may_lack) {
      errors_.Required(type, MissingType(level));
    }
    if (level == Level::kRoot && !schema.type.empty() && schema.type != "object") {
      errors_.Invalid(type, Shown(schema.type), "must be object at the root");
    }
  }

  void CheckTypeMeta(const JSONSchemaProps& schema, const Path& path) {
    const Path properties = path.Child("properties");
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const auto member = schema.properties.find(name);
      if (member == schema.properties.end() || member->second.type == "string") continue;
      const Path at = properties.Key(name);
      errors_.Invalid(at.Child("type"), Shown(member->second.type), "must be string");
    }
  }

  void CheckMetadata(const JSONSchemaProps& metadata, Level level, const Path& path) {
    if (metadata.type != "object") {
      errors_.Invalid(path.Child("type"), Shown(metadata.type), "must be object");
    }
    if (level != Level::kRoot) return;
    const bool restricts_names = std::ranges::all_of(metadata.properties, [](const auto& member) {
      return member.first == "name" || member.first == "generateName";
    });
    if (restricts_names && HasOnly(metadata, {"type", "default", "properties"})) return;
    errors_.Forbidden(path,
                      "must not specify anything other than name and generateName, but metadata is "
                      "implicitly specified");
  }

  // --------------------------------------------------------------------------------------- logic

  /// Checks what the schema requires of values; `types` is where an anyOf means int-or-string.
  void Logic(const JSONSchemaProps& schema, AnyOfTypes types, const Path& path) {
    if (types != AnyOfTypes::kHere) Alternatives(schema.any_of, path.Child("anyOf"));
    const Path all_of = path.Child("allOf");
    for (size_t i = 0; i < schema.all_of.size(); ++i) {
      const bool is_type = types == AnyOfTypes::kInFirstAllOf && i == 0;
      Nested(schema.all_of[i], is_type ? AnyOfTypes::kHere : AnyOfTypes::kNowhere, all_of.Index(i));
    }
    Alternatives(schema.one_of, path.Child("oneOf"));
    if (schema.not_.has_value()) Nested(*schema.not_, AnyOfTypes::kNowhere, path.Child("not"));
    if (schema.pattern.empty()) return;
    const std::string_view problem = patterns_.Problem(schema.pattern);
    if (problem.empty()) return;
    errors_.Invalid(path.Child("pattern"),
                    Shown(schema.pattern),
                    fmt::format("must be a valid regular expression, but isn't: {}", problem));
  }

  void Alternatives(const api::List<JSONSchemaProps>& schemas, const Path& path) {
    for (size_t i = 0; i < schemas.size(); ++i) {
      Nested(schemas[i], AnyOfTypes::kNowhere, path.Index(i));
    }
  }

  /// A schema inside logic.
  void Nested(const JSONSchemaProps& schema, AnyOfTypes types, const Path& path) {
    if (errors_.is_full()) return;
    Logic(schema, types, path);
    const JSONSchemaProps* items = ItemsOf(schema);
    if (items != nullptr) Nested(*items, AnyOfTypes::kNowhere, path.Child("items"));
    const Path properties = path.Child("properties");
    for (const auto& [name, member] : schema.properties) {
      Nested(member, AnyOfTypes::kNowhere, properties.Key(name));
    }
    ForbidDeclarations(schema, path);
    // Metadata could be restricted in ways that are not allowed.
    if (schema.properties.contains("metadata")) {
      errors_.Forbidden(properties.Key("metadata"), "must not be specified in a nested context");
    }
  }

  /// What may only stand outside of logic.
  void ForbidDeclarations(const JSONSchemaProps& schema, const Path& path) {
    constexpr std::string_view kEmpty = "must be empty to be structural";
    constexpr std::string_view kUndefined = "must be undefined to be structural";
    constexpr std::string_view kFalse = "must be false to be structural";
    const auto& additional = schema.additional_properties;
    const bool has_additional =
        additional.has_value() && (additional->schema.has_value() || additional->allows);
    const bool has_default = schema.default_.has_value() && !schema.default_->IsNull();
    const struct {
      bool is_set;
      std::string_view name, text;
    } rows[] = {
        {!schema.type.empty(), "type", kEmpty},
        {has_additional, "additionalProperties", kUndefined},
        {has_default, "default", kUndefined},
        {!schema.title.empty(), "title", kEmpty},
        {!schema.description.empty(), "description", kEmpty},
        {schema.nullable, "nullable", kFalse},
        {PreservesUnknown(schema), "x-kubernetes-preserve-unknown-fields", kFalse},
        {schema.x_kubernetes_embedded_resource, "x-kubernetes-embedded-resource", kFalse},
        {schema.x_kubernetes_int_or_string, "x-kubernetes-int-or-string", kFalse},
        {!schema.x_kubernetes_list_map_keys.empty(), "x-kubernetes-list-map-keys", kEmpty},
        {schema.x_kubernetes_list_type.has_value(), "x-kubernetes-list-type", kUndefined},
        {schema.x_kubernetes_map_type.has_value(), "x-kubernetes-map-type", kUndefined},
        {!schema.x_kubernetes_validations.empty(), "x-kubernetes-validations", kEmpty},
    };
    for (const auto& row : rows) {
      if (row.is_set) errors_.Forbidden(path.Child(row.name), row.text);
    }
  }

  FieldErrors& errors_;
  Patterns& patterns_;
};

// ----------------------------------------------------------------------------------- completeness

/// Members that logic at the root restricts must be declared outside of it. Upstream asks this of
/// the root's logic alone.
class CompletenessCheck {
 public:
  explicit CompletenessCheck(FieldErrors& errors) : errors_(errors) {}

  /// `logic`, which stands at `logic_path`, restricts values of `declared`.
  void Logic(const JSONSchemaProps& logic,
             const JSONSchemaProps& declared,
             const Path& path,
             const Path& logic_path) {
    if (logic.not_.has_value()) Nested(*logic.not_, &declared, path, logic_path.Child("not"));
    Alternatives(logic.all_of, declared, path, logic_path.Child("allOf"));
    Alternatives(logic.any_of, declared, path, logic_path.Child("anyOf"));
    Alternatives(logic.one_of, declared, path, logic_path.Child("oneOf"));
  }

 private:
  void Alternatives(const api::List<JSONSchemaProps>& schemas,
                    const JSONSchemaProps& declared,
                    const Path& path,
                    const Path& logic_path) {
    for (size_t i = 0; i < schemas.size(); ++i) {
      Nested(schemas[i], &declared, path, logic_path.Index(i));
    }
  }

  void Nested(const JSONSchemaProps& logic,
              const JSONSchemaProps* declared,
              const Path& path,
              const Path& logic_path) {
    if (errors_.is_full()) return;
    if (declared == nullptr) {
      errors_.Required(path, fmt::format("because it is defined in {}", logic_path.ToString()));
      return;
    }
    Logic(logic, *declared, path, logic_path);
    if (const JSONSchemaProps* items = ItemsOf(logic); items != nullptr) {
      Nested(*items, ItemsOf(*declared), path.Child("items"), logic_path.Child("items"));
    }
    const Path properties = path.Child("properties");
    const Path logic_properties = logic_path.Child("properties");
    for (const auto& [name, member] : logic.properties) {
      const auto found = declared->properties.find(name);
      const bool is_declared = found != declared->properties.end();
      Nested(member,
             is_declared ? &found->second : nullptr,
             properties.Key(name),
             logic_properties.Key(name));
    }
  }

  FieldErrors& errors_;
};

// ------------------------------------------------------------------------------------ unsupported

std::string_view UnsupportedMember(const JSONSchemaProps& schema) {
  if (!schema.id.empty()) return "OpenAPIV3Schema 'id' is not supported";
  if (!schema.schema.empty()) return "OpenAPIV3Schema 'schema' is not supported";
  if (schema.ref.has_value() && !schema.ref->empty()) {
    return "OpenAPIV3Schema '$ref' is not supported";
  }
  if (!schema.pattern_properties.empty()) {
    return "OpenAPIV3Schema 'patternProperties' is not supported";
  }
  if (!schema.dependencies.empty()) return "OpenAPIV3Schema 'dependencies' is not supported";
  if (schema.additional_items.has_value()) {
    return "OpenAPIV3Schema 'additionalItems' is not supported";
  }
  if (!schema.definitions.empty()) return "OpenAPIV3Schema 'definitions' is not supported";
  if (!schema.x_kubernetes_preserve_unknown_fields.value_or(true)) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (schema.items.has_value() && !schema.items->j_son_schemas.empty()) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  return {};
}

}  // namespace

std::string_view FindUnsupported(const JSONSchemaProps& schema) {
  std::string_view found;
  AnySchema(schema, [&](const JSONSchemaProps& one) {
    found = UnsupportedMember(one);
    return !found.empty();
  });
  return found;
}

FieldErrors CheckStructural(const JSONSchemaProps& schema, const Path& path, Patterns& patterns) {
  FieldErrors errors;
  StructuralCheck(errors, patterns).Node(schema, Level::kRoot, path);
  CompletenessCheck(errors).Logic(schema, schema, path, path);
  errors.Sort();
  return errors;
}

}  // namespace dray::custom::definitions
