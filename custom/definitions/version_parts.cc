// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/version_parts.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "custom/definitions/is_in.h"
#include "custom/rules/field_path.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceColumnDefinition;
using api::apiextensions_v1::CustomResourceDefinitionVersion;
using api::apiextensions_v1::CustomResourceSubresources;
using api::apiextensions_v1::CustomResourceSubresourceScale;
using api::apiextensions_v1::JSONSchemaProps;
using api::apiextensions_v1::SelectableField;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

constexpr size_t kDeprecationWarningMax = 256;

constexpr std::array<std::string_view, 5> kColumnTypes = {
    "boolean", "date", "integer", "number", "string"};
constexpr std::array<std::string_view, 8> kColumnFormats = {
    "byte", "date", "date-time", "double", "float", "int32", "int64", "password"};

constexpr std::string_view kNotSimple = "must be a simple json path starting with .";

/// Where the paths of a scale may lead.
struct Roots {
  std::array<std::string_view, 2> prefixes;
  std::string_view text;
};
constexpr Roots kSpec = {.prefixes = {".spec.", ".spec."},
                         .text = "should be a json path under .spec"};
constexpr Roots kStatus = {.prefixes = {".status.", ".status."},
                           .text = "should be a json path under .status"};
constexpr Roots kEither = {.prefixes = {".spec.", ".status."},
                           .text = "should be a json path under either .spec or .status"};

void CheckScalePath(std::string_view value,
                    const Roots& roots,
                    const Path& path,
                    FieldErrors& errors) {
  const auto leads = [&](std::string_view prefix) { return value.starts_with(prefix); };
  if (value[0] != '.') {
    errors.Invalid(path, Shown(value), kNotSimple);
  } else if (std::ranges::none_of(roots.prefixes, leads)) {
    errors.Invalid(path, Shown(value), roots.text);
  }
}

void CheckRequiredScalePath(std::string_view value,
                            const Roots& roots,
                            const Path& path,
                            FieldErrors& errors) {
  if (value.empty()) {
    errors.Required(path);
  } else {
    CheckScalePath(value, roots, path, errors);
  }
}

void CheckColumn(const CustomResourceColumnDefinition& column,
                 const Path& path,
                 FieldErrors& errors) {
  if (column.name.empty()) errors.Required(path.Child("name"));
  const std::string types = fmt::format("must be one of {}", fmt::join(kColumnTypes, ","));
  if (column.type.empty()) {
    errors.Required(path.Child("type"), types);
  } else if (!IsIn(kColumnTypes, column.type)) {
    errors.Invalid(path.Child("type"), Shown(column.type), types);
  }
  if (!column.format.empty() && !IsIn(kColumnFormats, column.format)) {
    errors.Invalid(path.Child("format"),
                   Shown(column.format),
                   fmt::format("must be one of {}", fmt::join(kColumnFormats, ",")));
  }
  // The member is named as in upstream's internal form.
  if (column.json_path.empty()) {
    errors.Required(path.Child("JSONPath"));
  } else if (column.json_path[0] != '.') {
    errors.Invalid(path.Child("JSONPath"), Shown(column.json_path), kNotSimple);
  }
}

bool IsSelectable(const JSONSchemaProps* schema) {
  return schema != nullptr &&
         (schema->type == "string" || schema->type == "boolean" || schema->type == "integer");
}

}  // namespace

void CheckDeprecationWarning(const CustomResourceDefinitionVersion& version,
                             const Path& path,
                             FieldErrors& errors) {
  if (!version.deprecation_warning.has_value()) return;
  const std::string& warning = *version.deprecation_warning;
  const auto refuse = [&](std::string_view text) { errors.Invalid(path, Shown(warning), text); };
  if (!version.deprecated) return refuse("can only be set for deprecated versions");
  if (warning.size() > kDeprecationWarningMax) refuse("must be <= 256 characters long");
  if (warning.empty()) refuse("must not be an empty string");
  const size_t unprintable = api::FindUnprintable(warning);
  if (unprintable == std::string::npos) return;
  refuse(
      fmt::format("must only contain printable UTF-8 characters; non-printable character found at "
                  "index {}",
                  unprintable));
}

void CheckSubresources(const CustomResourceSubresources& subresources,
                       const Path& path,
                       FieldErrors& errors) {
  if (!subresources.scale.has_value()) return;
  const CustomResourceSubresourceScale& scale = *subresources.scale;
  const Path at = path.Child("scale");
  CheckRequiredScalePath(scale.spec_replicas_path, kSpec, at.Child("specReplicasPath"), errors);
  CheckRequiredScalePath(
      scale.status_replicas_path, kStatus, at.Child("statusReplicasPath"), errors);
  const std::string selector = scale.label_selector_path.value_or("");
  if (!selector.empty()) CheckScalePath(selector, kEither, at.Child("labelSelectorPath"), errors);
}

void CheckColumns(const api::List<CustomResourceColumnDefinition>& columns,
                  const Path& path,
                  FieldErrors& errors) {
  for (size_t i = 0; i < columns.size() && !errors.is_full(); ++i) {
    CheckColumn(columns[i], path.Index(i), errors);
  }
}

void CheckSelectableFields(const api::List<SelectableField>& fields,
                           const JSONSchemaProps& schema,
                           bool may_be_many,
                           const Path& path,
                           FieldErrors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < fields.size() && !errors.is_full(); ++i) {
    const std::string& field = fields[i].json_path;
    const Path item = path.Index(i);
    const Path at = item.Child("jsonPath");
    if (field.empty()) {
      errors.Required(at);
      continue;
    }
    const auto found = rules::FindField(field, schema, rules::Brackets::kRefused);
    if (!found.has_value()) {
      errors.Invalid(
          at, Shown(field), fmt::format("is an invalid path: {}", found.error().message));
      continue;
    }
    const std::string_view whole = found->path;
    if (whole.substr(0, whole.find_first_of(".[")) == "metadata") {
      errors.Invalid(at, Shown(field), "must not point to fields in metadata");
    }
    if (!IsSelectable(found->schema)) {
      errors.Invalid(at,
                     Shown(field),
                     "must point to a field of type string, boolean or integer. Enum string fields "
                     "and strings with formats are allowed.");
    }
    if (!seen.insert(found->path).second) errors.Duplicate(at, Shown(field));
  }
  if (seen.size() > kSelectableFieldsMax && !may_be_many) {
    errors.TooMany(path, seen.size(), kSelectableFieldsMax);
  }
}

}  // namespace dray::custom::definitions
