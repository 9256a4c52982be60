// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/requirements_of.h"

#include <cstddef>
#include <map>

#include "custom/definitions/conditions.h"
#include "custom/definitions/conversion_settings.h"
#include "custom/definitions/default_values.h"
#include "custom/definitions/hoisted.h"
#include "custom/definitions/known_types.h"
#include "custom/definitions/list_types.h"
#include "custom/definitions/patterns.h"
#include "custom/definitions/structural.h"
#include "custom/definitions/version_parts.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

bool AllVersionsHaveSchemas(const CustomResourceDefinitionSpec& spec) {
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    if (SchemaOf(version) == nullptr) return false;
  }
  return true;
}

bool HaveUnprunedDefaults(const CustomResourceDefinitionSpec& spec) {
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    const JSONSchemaProps* schema = SchemaOf(version);
    if (schema != nullptr && HasUnprunedDefaults(*schema)) return true;
  }
  return false;
}

bool HasNonStructural(const CustomResourceDefinitionSpec& spec) {
  Patterns patterns;
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    const JSONSchemaProps* schema = SchemaOf(version);
    if (schema == nullptr) continue;
    if (!FindUnsupported(*schema).empty()) return true;
    if (!CheckStructural(*schema, api::validation::Path(""), patterns).empty()) return true;
  }
  return false;
}

/// A rule for certificates holds once the kind is served, unless it was broken before.
bool NeedsGoodCaBundle(const CustomResourceDefinition& old, const Environment& environment) {
  if (!IsConditionTrue(old, kEstablished)) return false;
  const std::string& bundle = CaBundleOf(old);
  if (bundle.empty() || environment.check_ca_bundle == nullptr) return true;
  return environment.check_ca_bundle(bundle).has_value();
}

using ByName = std::map<std::string_view, const CustomResourceDefinitionVersion*>;

ByName VersionsByName(const CustomResourceDefinitionSpec& spec) {
  ByName versions;
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    versions.try_emplace(version.name, &version);
  }
  return versions;
}

bool IsLong(const api::List<api::apiextensions_v1::SelectableField>& fields) {
  return fields.size() > kSelectableFieldsMax;
}

/// Notes which versions have the schema, or the too many fields, that they had in `old`.
void NoteUnchanged(const CustomResourceDefinitionSpec& next,
                   const CustomResourceDefinitionSpec& old,
                   Requirements& required) {
  const ByName before = VersionsByName(old);
  bool all_many = !next.versions.empty();
  for (const CustomResourceDefinitionVersion& version : next.versions) {
    const auto found = before.find(version.name);
    if (found == before.end()) continue;
    const CustomResourceDefinitionVersion& stored = *found->second;
    if (version.schema == stored.schema) required.unchanged_schemas.insert(version.name);
    if (IsLong(stored.selectable_fields) && version.selectable_fields == stored.selectable_fields) {
      required.many_selectable_fields.insert(version.name);
    }
  }
  const bool is_hoisted = !old.versions.empty() && FindHoisted(old).selectable_fields;
  all_many = all_many && is_hoisted && IsLong(old.versions.front().selectable_fields) &&
             FindHoisted(next).selectable_fields &&
             next.versions.front().selectable_fields == old.versions.front().selectable_fields;
  if (all_many) required.many_selectable_fields.insert("");
}

}  // namespace

Requirements RequirementsOfNew(const Environment& environment) {
  return {.environment = environment};
}

Requirements RequirementsOfChange(const CustomResourceDefinition& next,
                                  const CustomResourceDefinition& old,
                                  const Environment& environment) {
  Requirements required = RequirementsOfNew(environment);
  const CustomResourceDefinitionSpec& spec = old.spec;
  const auto has = [&](auto broken) { return AnySchema(spec, broken); };
  required.known_review_version =
      !spec.conversion.has_value() || HasKnownReviewVersion(*spec.conversion);
  required.immutable_names = IsConditionTrue(old, kEstablished);
  required.schema_in_every_version = AllVersionsHaveSchemas(spec);
  required.known_types =
      !has([](const JSONSchemaProps& schema) { return !IsKnownType(schema.type); });
  // Objects that are pruned need structural schemas, whatever was stored.
  required.structural_schemas = !next.spec.preserve_unknown_fields || !HasNonStructural(spec);
  required.pruned_defaults = !HaveUnprunedDefaults(spec);
  required.atomic_items_in_sets = !has(HasItemsThatMerge);
  required.good_keys_of_lists = !has(HasLooseKeys);
  required.good_ca_bundle = NeedsGoodCaBundle(old, environment);
  NoteUnchanged(next.spec, spec, required);
  for (const CustomResourceDefinitionVersion& version : spec.versions) {
    if (const JSONSchemaProps* schema = SchemaOf(version); schema != nullptr) {
      required.stored_expressions.Add(*schema);
    }
  }
  return required;
}

}  // namespace dray::custom::definitions
