// SPDX-License-Identifier: Apache-2.0
#include "manifests/schema_hints.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/spelling.h"

namespace dray::manifests {
namespace {

using api::apiextensions_v1::JSONSchemaProps;

/// The most names that a hint lists.
constexpr size_t kSchemaNamesMax = 12;

/// The schema of the member `name` of an object; null: there is none.
const JSONSchemaProps* MemberOf(const JSONSchemaProps& schema, std::string_view name) {
  const auto found = schema.properties.find(name);
  if (found != schema.properties.end()) return &found->second;
  const auto& values = schema.additional_properties;
  return values.has_value() && values->schema.has_value() ? &*values->schema : nullptr;
}

const JSONSchemaProps* ElementOf(const JSONSchemaProps& schema) {
  const auto& items = schema.items;
  return items.has_value() && items->schema.has_value() ? &*items->schema : nullptr;
}

/// The schema at `path`; null: there is none.
const JSONSchemaProps* SchemaAt(const JSONSchemaProps& root, std::string_view path) {
  const JSONSchemaProps* schema = &root;
  while (schema != nullptr && !path.empty()) {
    if (path.starts_with('[')) {
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
      schema = ElementOf(*schema);
      continue;
    }
    if (path.starts_with('.')) path.remove_prefix(1);
    const size_t end = std::min(path.find_first_of(".["), path.size());
    schema = MemberOf(*schema, path.substr(0, end));
    path.remove_prefix(end);
  }
  return schema;
}

}  // namespace

std::string HintForSchemaField(const JSONSchemaProps& schema, std::string_view path) {
  const size_t dot = path.rfind('.');
  const std::string_view parent = dot == std::string_view::npos ? "" : path.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
  const JSONSchemaProps* const place = SchemaAt(schema, parent);
  if (place == nullptr || place->properties.empty()) return {};
  std::vector<std::string> names;
  for (const auto& [known, member] : place->properties) names.emplace_back(known);
  const std::string nearest = NearestName(name, names);
  if (!nearest.empty()) {
    return fmt::format("did you mean {}{}{}?", parent, parent.empty() ? "" : ".", nearest);
  }
  const std::string_view more = names.size() > kSchemaNamesMax ? ", …" : "";
  names.resize(std::min(names.size(), kSchemaNamesMax));
  return fmt::format("known here: {}{}", fmt::join(names, ", "), more);
}

}  // namespace dray::manifests
