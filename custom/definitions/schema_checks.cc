// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/schema_checks.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/text/cut.h"
#include "api/validation/go_value.h"
#include "custom/definitions/schema_members.h"
#include "custom/definitions/structural.h"
#include "custom/definitions/walk.h"

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

void CheckSchema(const JSONSchemaProps& schema,
                 HasStatus has_status,
                 const Requirements& required,
                 const Path& path,
                 Patterns& patterns,
                 FieldErrors& errors) {
  const size_t before = errors.size();
  if (has_status == HasStatus::kYes) CheckRootWithStatus(schema, path, errors);
  if (schema.nullable) {
    errors.Forbidden(path.Child("nullable"), "nullable cannot be true at the root");
  }
  const std::string_view unsupported =
      required.structural_schemas ? FindUnsupported(schema) : std::string_view();
  if (required.structural_schemas && unsupported.empty()) {
    errors.Append(CheckStructural(schema, path, patterns));
  }
  CheckMembers(schema, required, path, errors);
  // The rules for members say the same of most of these.
  if (errors.size() == before && !unsupported.empty()) {
    errors.Invalid(path, Shown(""), unsupported);
  }
}

}  // namespace dray::custom::definitions
