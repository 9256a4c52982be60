// SPDX-License-Identifier: Apache-2.0
// Lines of fuzz inputs: a schema, which becomes that of a definition, and objects of its kind.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/codec/json.h"
#include "api/codec/tree_json.h"
#include "api/defaults/defaults.h"
#include "api/object.h"
#include "api/value/time.h"
#include "api/value/tree.h"
#include "base/check.h"
#include "custom/definitions/definitions.h"

namespace dray::fuzz {

using api::apiextensions_v1::CustomResourceDefinition;

/// The first line of `text`, which loses it.
inline std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// Widgets of example.com with `schema`, as a server stores them; nothing if it would refuse them.
inline std::optional<CustomResourceDefinition> DefinitionWith(std::string_view schema) {
  std::string json =
      R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","names":{)"
      R"("plural":"widgets","kind":"Widget"},"scope":"Namespaced","versions":[{"name":"v1",)"
      R"("served":true,"storage":true,"schema":{"openAPIV3Schema":)";
  json.append(schema).append("}}]}}");
  auto object = api::DecodeJson(api::Reflected<CustomResourceDefinition>::kKind, json, nullptr);
  if (!object.has_value()) return std::nullopt;
  api::defaults::SetDefaults(*object, api::Time());
  auto& definition = object->Mutable<CustomResourceDefinition>();
  custom::definitions::PrepareNew(definition);
  const auto causes = custom::definitions::ValidateDefinition(definition, {});
  for (const ErrorCause& cause : causes) DRAY_CHECK(!cause.message.empty());
  if (!causes.empty() || definition.spec.versions.size() != 1) return std::nullopt;
  const auto& version = definition.spec.versions.front();
  const bool has_schema =
      version.schema.has_value() && version.schema->open_apiv3_schema.has_value();
  if (!has_schema) return std::nullopt;
  return definition;
}

/// The object that a line says; nothing if it says none.
inline std::optional<api::Tree> ObjectOf(std::string_view line) {
  Result<api::Tree> tree = api::ReadTree(line);
  if (!tree.has_value() || !tree->is_object()) return std::nullopt;
  return *std::move(tree);
}

}  // namespace dray::fuzz
