// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/schema_members.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "custom/definitions/known_types.h"
#include "custom/definitions/list_types.h"
#include "custom/definitions/walk.h"
#include "custom/rules/rule_checks.h"

namespace dray::custom::definitions {
namespace {

using api::validation::FieldErrors;
using api::validation::Path;

/// What follows from where a schema stands.
struct Place {
  bool is_root = false;
  bool in_metadata = false;             // of the object or of one embedded in it
  std::string_view no_default_in = {};  // why it may have no default; empty: it may
};

bool IsOfResource(std::string_view name) {
  return name == "metadata" || name == "kind" || name == "apiVersion";
}

std::string_view NoDefaultInTopLevel(std::string_view name) {
  if (name == "metadata") return "in top-level metadata";
  return name == "kind" ? "in top-level kind" : "in top-level apiVersion";
}

class MemberCheck {
 public:
  MemberCheck(const Requirements& required, FieldErrors& errors)
      : required_(required), errors_(errors) {}

  void Node(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    if (errors_.is_full()) return;
    CheckSupported(schema, place, path);
    if (schema.unique_items) {
      errors_.Forbidden(path.Child("uniqueItems"),
                        "uniqueItems cannot be set to true since the runtime complexity becomes "
                        "quadratic");
    }
    Values(schema, place, path);
    Properties(schema, place, path);
    Logic(schema, Inside(place), path);
    Items(schema, Inside(place), path);
    Dependencies(schema, Inside(place), path);
    if (!schema.x_kubernetes_preserve_unknown_fields.value_or(true)) {
      errors_.Invalid(
          path.Child("x-kubernetes-preserve-unknown-fields"), "false", "must be true or undefined");
    }
    CheckListTypes(schema, required_, path, errors_);
    rules::CheckRuleTexts(schema, path, errors_);
  }

 private:
  static Place Inside(Place place) {
    place.is_root = false;
    return place;
  }

  void CheckSupported(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    const Path type = path.Child("type");
    if (required_.known_types && !IsKnownType(schema.type)) {
      errors_.NotSupported(type, schema.type, kKnownTypes);
    }
    if (schema.default_.has_value() && !place.no_default_in.empty()) {
      errors_.Forbidden(path.Child("default"),
                        fmt::format("must not be set {}", place.no_default_in));
    }
    const struct {
      bool is_set;
      std::string_view name;
    } rows[] = {
        {!schema.id.empty(), "id"},
        {schema.additional_items.has_value(), "additionalItems"},
        {!schema.pattern_properties.empty(), "patternProperties"},
        {!schema.definitions.empty(), "definitions"},
        {!schema.dependencies.empty(), "dependencies"},
        {schema.ref.has_value(), "$ref"},
    };
    for (const auto& row : rows) {
      if (!row.is_set) continue;
      errors_.Forbidden(path.Child(row.name), fmt::format("{} is not supported", row.name));
    }
    if (schema.type == "null") {
      errors_.Forbidden(type, "type cannot be set to null, use nullable as an alternative");
    }
    if (schema.items.has_value() && !schema.items->j_son_schemas.empty()) {
      errors_.Forbidden(path.Child("items"), "items must be a schema object and not an array");
    }
    if (place.in_metadata && schema.x_kubernetes_embedded_resource) {
      errors_.Forbidden(path.Child("x-kubernetes-embedded-resource"),
                        "must not be used inside of resource meta");
    }
  }

  void Values(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    if (!schema.additional_properties.has_value()) return;
    const auto& additional = *schema.additional_properties;
    const Path at = path.Child("additionalProperties");
    if (!schema.properties.empty() && (!additional.allows || additional.schema.has_value())) {
      errors_.Forbidden(at, "additionalProperties and properties are mutual exclusive");
    }
    if (!additional.schema.has_value()) return;
    Place inside = Inside(place);
    if (place.in_metadata) {
      inside.no_default_in = "inside additionalProperties applying to object metadata";
    }
    Node(*additional.schema, inside, at);
  }

  void Properties(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    const bool is_resource = place.is_root || schema.x_kubernetes_embedded_resource;
    const Path properties = path.Child("properties");
    for (const auto& [name, member] : schema.properties) {
      Place inside = Inside(place);
      if (is_resource && IsOfResource(name)) {
        inside.in_metadata = true;
        if (place.is_root) inside.no_default_in = NoDefaultInTopLevel(name);
      }
      Node(member, inside, properties.Key(name));
    }
  }

  void Logic(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    if (schema.not_.has_value()) Node(*schema.not_, place, path.Child("not"));
    Alternatives(schema.all_of, place, path.Child("allOf"));
    Alternatives(schema.one_of, place, path.Child("oneOf"));
    Alternatives(schema.any_of, place, path.Child("anyOf"));
    const Path definitions = path.Child("definitions");
    for (const auto& [name, definition] : schema.definitions) {
      Node(definition, place, definitions.Key(name));
    }
  }

  void Alternatives(const api::List<JSONSchemaProps>& schemas,
                    const Place& place,
                    const Path& path) {
    for (size_t i = 0; i < schemas.size(); ++i) Node(schemas[i], place, path.Index(i));
  }

  void Items(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    if (!schema.items.has_value()) return;
    const Path items = path.Child("items");
    if (schema.items->schema.has_value()) Node(*schema.items->schema, place, items);
    Alternatives(schema.items->j_son_schemas, place, items);
  }

  void Dependencies(const JSONSchemaProps& schema, const Place& place, const Path& path) {
    const Path dependencies = path.Child("dependencies");
    for (const auto& [name, dependency] : schema.dependencies) {
      if (dependency.schema.has_value()) Node(*dependency.schema, place, dependencies.Key(name));
    }
  }

  const Requirements& required_;
  FieldErrors& errors_;
};

}  // namespace

void CheckMembers(const JSONSchemaProps& schema,
                  const Requirements& required,
                  const Path& path,
                  FieldErrors& errors) {
  MemberCheck(required, errors).Node(schema, {.is_root = true}, path);
}

}  // namespace dray::custom::definitions
