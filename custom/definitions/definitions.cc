// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/definitions.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/tree_json.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/approval.h"
#include "custom/definitions/is_in.h"
#include "custom/definitions/names.h"
#include "custom/definitions/requirements_of.h"
#include "custom/definitions/spec.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceDefinitionStatus;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;
using api::validation::ShownStruct;

void CheckStatus(const CustomResourceDefinitionStatus& status, FieldErrors& errors) {
  CheckNames(status.accepted_names, Path("status.acceptedNames"), errors);
}

void CheckStoredVersions(const CustomResourceDefinition& next, FieldErrors& errors) {
  const Path path("status.storedVersions");
  const api::List<std::string>& stored = next.status.stored_versions;
  const std::string shown = ShownStruct(stored);
  if (stored.empty()) {
    errors.Invalid(path, shown, "must have at least one stored version");
    return;
  }
  std::map<std::string_view, size_t> missing;  // of those stored: where they stand last
  for (size_t i = 0; i < stored.size(); ++i) missing[stored[i]] = i;
  for (const CustomResourceDefinitionVersion& version : next.spec.versions) {
    const bool is_stored = missing.erase(version.name) > 0;
    if (!version.storage || is_stored || errors.is_full()) continue;
    errors.Invalid(
        path, ShownStruct(stored), fmt::format("must have the storage version {}", version.name));
  }
  for (const auto& [name, index] : missing) {
    if (errors.is_full()) return;
    errors.Invalid(path.Index(index),
                   Shown(name),
                   fmt::format("missing from spec.versions; {0} was previously a storage version, "
                               "and must remain in spec.versions until a storage migration ensures "
                               "no data remains persisted in {0} and removes {0} from "
                               "status.storedVersions",
                               name));
  }
}

void CheckPreserving(const CustomResourceDefinition& next,
                     const CustomResourceDefinition* old,
                     FieldErrors& errors) {
  const bool was_preserving = old != nullptr && old->spec.preserve_unknown_fields;
  if (was_preserving || !next.spec.preserve_unknown_fields) return;
  errors.Invalid(Path("spec.preserveUnknownFields"),
                 "true",
                 "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                 "spec.versions[*].schema instead");
}

/// What follows the spec, of new definitions and changed ones alike.
void CheckRest(const CustomResourceDefinition& next,
               const CustomResourceDefinition* old,
               FieldErrors& errors) {
  CheckStatus(next.status, errors);
  CheckStoredVersions(next, errors);
  CheckApproval(next, old, errors);
  CheckPreserving(next, old, errors);
}

void NoteStorageVersion(CustomResourceDefinition& next) {
  const auto storage =
      std::ranges::find(next.spec.versions, true, &CustomResourceDefinitionVersion::storage);
  if (storage == next.spec.versions.end()) return;
  api::List<std::string>& stored = next.status.stored_versions;
  if (!IsIn(stored, storage->name)) stored.push_back(storage->name);
}

/// Writes a value as Go does: members sorted, no blanks, 1.0 as 1.
void Rewrite(api::AnyJson& value) {
  const auto tree = api::ReadTree(value.bytes());
  if (!tree.has_value()) return;
  std::string text = api::ToJson(*tree);
  if (text != value.bytes()) value = api::AnyJson(std::move(text));
}

void RewriteValues(CustomResourceDefinition& next) {
  for (CustomResourceDefinitionVersion& version : next.spec.versions) {
    if (SchemaOf(version) == nullptr) continue;
    AnySchema(*version.schema->open_apiv3_schema, [](JSONSchemaProps& schema) {
      if (schema.default_.has_value()) Rewrite(*schema.default_);
      if (schema.example.has_value()) Rewrite(*schema.example);
      for (api::AnyJson& value : schema.enum_) Rewrite(value);
      return false;
    });
  }
}

}  // namespace

void PrepareNew(CustomResourceDefinition& next) {
  next.status = {};
  PrepareChange(next);
}

void PrepareChange(CustomResourceDefinition& next) {
  RewriteValues(next);
  NoteStorageVersion(next);
}

std::vector<ErrorCause> ValidateDefinition(const CustomResourceDefinition& next,
                                           const Environment& environment) {
  FieldErrors errors;
  CheckSpec(next.spec, RequirementsOfNew(environment), errors);
  CheckRest(next, nullptr, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateDefinitionChange(const CustomResourceDefinition& next,
                                                 const CustomResourceDefinition& old,
                                                 const Environment& environment) {
  const Requirements required = RequirementsOfChange(next, old, environment);
  FieldErrors errors;
  CheckSpec(next.spec, required, errors);
  CheckSpecChange(next.spec, old.spec, required, errors);
  CheckRest(next, &old, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateDefinitionStatus(const CustomResourceDefinition& next) {
  FieldErrors errors;
  CheckStatus(next.status, errors);
  return std::move(errors).Take();
}

}  // namespace dray::custom::definitions
