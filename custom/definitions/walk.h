// SPDX-License-Identifier: Apache-2.0
// Visits the schemas that lie in a schema. How deep they lie in each other is bounded by the
// readers of documents (api::kNestedStructsMax), so walks may recurse.
#pragma once

#include <concepts>
#include <type_traits>

#include "api/apiextensions_v1.h"

namespace dray::custom::definitions {

using api::apiextensions_v1::CustomResourceDefinition;
using api::apiextensions_v1::CustomResourceDefinitionSpec;
using api::apiextensions_v1::CustomResourceDefinitionVersion;
using api::apiextensions_v1::JSONSchemaProps;

/// The schema of a version; null if it has none.
inline const JSONSchemaProps* SchemaOf(const CustomResourceDefinitionVersion& version) {
  if (!version.schema.has_value() || !version.schema->open_apiv3_schema.has_value()) return nullptr;
  return &*version.schema->open_apiv3_schema;
}

/// The schema of the elements of a list; null if there is none, or one for each place.
inline const JSONSchemaProps* ItemsOf(const JSONSchemaProps& schema) {
  return schema.items.has_value() && schema.items->schema.has_value() ? &*schema.items->schema
                                                                      : nullptr;
}

/// A schema, const or not.
template <class T>
concept AnySchemaProps = std::same_as<std::remove_const_t<T>, JSONSchemaProps>;

/// Whether `found(schema)` holds for the schema or one in it, wherever it stands; stops at the
/// first. In the order of upstream's walk: itself, items, logic, members, what is not supported.
template <AnySchemaProps Schema, class F>
bool AnySchema(Schema& schema, const F& found);

/// The same for all versions.
template <class F>
bool AnySchema(const CustomResourceDefinitionSpec& spec, const F& found) {
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    const JSONSchemaProps* schema = SchemaOf(version);
    if (schema != nullptr && AnySchema(*schema, found)) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------

namespace detail {

template <class List, class F>
bool AnyOfSchemas(List& schemas, const F& found) {
  for (auto& schema : schemas) {
    if (AnySchema(schema, found)) return true;
  }
  return false;
}

template <class Map, class F>
bool AnyOfMembers(Map& members, const F& found) {
  for (auto& [name, schema] : members) {
    if (AnySchema(schema, found)) return true;
  }
  return false;
}

template <class Holder, class F>
bool AnyOfHeld(Holder& holder, const F& found) {
  return holder.has_value() && holder->schema.has_value() && AnySchema(*holder->schema, found);
}

}  // namespace detail

template <AnySchemaProps Schema, class F>
bool AnySchema(Schema& schema, const F& found) {
  if (found(schema)) return true;
  if (detail::AnyOfHeld(schema.items, found)) return true;
  if (schema.items.has_value() && detail::AnyOfSchemas(schema.items->j_son_schemas, found)) {
    return true;
  }
  if (detail::AnyOfSchemas(schema.all_of, found) || detail::AnyOfSchemas(schema.any_of, found) ||
      detail::AnyOfSchemas(schema.one_of, found)) {
    return true;
  }
  if (schema.not_.has_value() && AnySchema(*schema.not_, found)) return true;
  if (detail::AnyOfMembers(schema.properties, found)) return true;
  if (detail::AnyOfHeld(schema.additional_properties, found)) return true;
  if (detail::AnyOfMembers(schema.pattern_properties, found)) return true;
  if (detail::AnyOfHeld(schema.additional_items, found)) return true;
  if (detail::AnyOfMembers(schema.definitions, found)) return true;
  for (auto& [name, dependency] : schema.dependencies) {
    if (dependency.schema.has_value() && AnySchema(*dependency.schema, found)) return true;
  }
  return false;
}

}  // namespace dray::custom::definitions
