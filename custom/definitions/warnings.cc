// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/warnings.h"

#include <set>
#include <string_view>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "api/validation/cause_limits.h"
#include "custom/definitions/hoisted.h"
#include "custom/definitions/known_types.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

/// Calls `visit(schema)` for every schema; of versions that have the same one, for the first alone.
template <class F>
void VisitSchemas(const CustomResourceDefinitionSpec& spec, const F& visit) {
  const bool is_hoisted = FindHoisted(spec).schema;
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    const JSONSchemaProps* root = SchemaOf(version);
    if (root == nullptr) continue;
    AnySchema(*root, [&](const JSONSchemaProps& schema) {
      visit(schema);
      return false;
    });
    if (is_hoisted) return;
  }
}

/// Formats that mean nothing, each once, in the order met.
std::vector<std::string_view> UnknownFormats(const CustomResourceDefinitionSpec& spec) {
  std::vector<std::string_view> found;
  std::set<std::string_view> seen;
  VisitSchemas(spec, [&](const JSONSchemaProps& schema) {
    if (schema.format.empty() || IsKnownFormat(schema.type, schema.format)) return;
    if (seen.insert(schema.format).second) found.emplace_back(schema.format);
  });
  return found;
}

/// Types of items of sets that are no scalars, in the order of their names.
std::set<std::string_view> ItemsOfSets(const CustomResourceDefinitionSpec& spec) {
  std::set<std::string_view> found;
  VisitSchemas(spec, [&](const JSONSchemaProps& schema) {
    const JSONSchemaProps* items = ItemsOf(schema);
    if (schema.x_kubernetes_list_type != "set" || items == nullptr) return;
    if (items->type == "object" || items->type == "array") found.emplace(items->type);
  });
  return found;
}

}  // namespace

std::vector<std::string> WarningsOf(const CustomResourceDefinition& next,
                                    const CustomResourceDefinition* old) {
  std::set<std::string_view> known_formats;
  std::set<std::string_view> known_items;
  if (old != nullptr) {
    const std::vector<std::string_view> formats = UnknownFormats(old->spec);
    known_formats.insert(formats.begin(), formats.end());
    known_items = ItemsOfSets(old->spec);
  }
  std::vector<std::string> warnings;
  for (const std::string_view format : UnknownFormats(next.spec)) {
    if (known_formats.contains(format)) continue;
    if (warnings.size() == api::validation::kCausesMax) break;
    warnings.push_back(fmt::format("unrecognized format {}", api::GoQuote(format)));
  }
  for (const std::string_view type : ItemsOfSets(next.spec)) {
    if (known_items.contains(type)) continue;
    warnings.push_back(
        fmt::format("x-kubernetes-list-type: set for items of type {} is not "
                    "supported by server-side apply or CEL validation rules",
                    api::GoQuote(type)));
  }
  return warnings;
}

}  // namespace dray::custom::definitions
