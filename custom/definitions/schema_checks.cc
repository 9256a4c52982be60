// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/schema_checks.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/text/cut.h"
#include "api/validation/go_value.h"
#include "custom/definitions/default_values.h"
#include "custom/definitions/schema_members.h"
#include "custom/definitions/structural.h"
#include "custom/definitions/walk.h"
#include "custom/rules/rule_checks.h"

namespace dray::custom::definitions {
namespace {

using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

/// Whether a member is set that would be lost where the schema of the status stands alone.
bool RestrictsWholeObject(const JSONSchemaProps& schema) {
  return schema.nullable || schema.default_.has_value() || !schema.enum_.empty() ||
         schema.max_properties.has_value() || schema.min_properties.has_value() ||
         !schema.all_of.empty() || !schema.one_of.empty() || !schema.any_of.empty() ||
         schema.not_.has_value() || schema.additional_properties.has_value() ||
         !schema.pattern_properties.empty() || !schema.dependencies.empty() ||
         schema.additional_items.has_value() || !schema.definitions.empty() ||
         schema.x_kubernetes_embedded_resource || schema.x_kubernetes_int_or_string ||
         !schema.x_kubernetes_list_map_keys.empty() || schema.x_kubernetes_list_type.has_value() ||
         schema.x_kubernetes_map_type.has_value();
}

// The schema of a status is cut out, so what the root says of the whole must be of little
// consequence.
void CheckRootWithStatus(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const bool has_reference = !schema.id.empty() || !schema.schema.empty() || schema.ref.has_value();
  if (!has_reference && !schema.type.empty() && schema.type != "object") {
    errors.Invalid(path.Child("type"),
                   Shown(schema.type),
                   "only \"object\" is allowed as the type at the root of the schema if the status "
                   "subresource is enabled");
    return;
  }
  if (!has_reference && !RestrictsWholeObject(schema)) return;
  errors.Invalid(
      path,
      api::Cut(api::validation::ShownAsGo(schema, errors.release()), api::validation::kShownMax),
      "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
      "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
      "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at "
      "the root of the schema if the status subresource is enabled");
}

}  // namespace

bool SchemaCheck::CheckForm(const JSONSchemaProps& schema, const Path& path) {
  FieldErrors found = CheckStructural(schema, path, patterns_);
  if (found.empty()) found.Append(CheckDefaultValues(schema, required_, path.ToString()));
  const bool is_good = found.empty();
  errors_.Append(std::move(found));
  return is_good;
}

void SchemaCheck::Run(const JSONSchemaProps& schema,
                      std::string_view version,
                      HasStatus has_status,
                      const Path& path) {
  const size_t before = errors_.size();
  if (has_status == HasStatus::kYes) CheckRootWithStatus(schema, path, errors_);
  if (schema.nullable) {
    errors_.Forbidden(path.Child("nullable"), "nullable cannot be true at the root");
  }
  const std::string_view unsupported =
      required_.structural_schemas ? FindUnsupported(schema) : std::string_view();
  const bool is_structural =
      required_.structural_schemas && unsupported.empty() && CheckForm(schema, path);
  FieldErrors members(errors_.release());
  CheckMembers(schema, required_, path, members);
  FieldErrors of_rules(errors_.release());
  if (is_structural) {
    rules::CheckRules(schema,
                      path,
                      {.language = required_.environment.language,
                       .stored = &required_.stored_expressions,
                       .is_unchanged = required_.unchanged_schemas.contains(version),
                       .schema_errors = members.causes()},
                      of_rules);
  }
  errors_.Append(std::move(members));
  errors_.Append(std::move(of_rules));
  // The rules for members say the same of most of these.
  if (errors_.size() == before && !unsupported.empty()) {
    errors_.Invalid(path, Shown(""), unsupported);
  }
}

}  // namespace dray::custom::definitions
