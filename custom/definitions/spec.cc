// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/spec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/text/cut.h"
#include "api/text/names.h"
#include "api/validation/go_value.h"
#include "custom/definitions/conversion_settings.h"
#include "custom/definitions/hoisted.h"
#include "custom/definitions/is_in.h"
#include "custom/definitions/names.h"
#include "custom/definitions/schema_checks.h"
#include "custom/definitions/version_parts.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceSubresources;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

constexpr std::array<std::string_view, 2> kScopes = {"Cluster", "Namespaced"};

using Subresources = std::optional<CustomResourceSubresources>;

HasStatus StatusIn(const Subresources& subresources) {
  return subresources.has_value() && subresources->status.has_value() ? HasStatus::kYes
                                                                      : HasStatus::kNo;
}

void CheckGroup(const std::string& group, const Path& path, FieldErrors& errors) {
  if (group.empty()) return errors.Required(path);
  const api::NameErrors found = api::CheckDnsSubdomain(group);
  if (!found.empty()) {
    errors.Invalid(path, Shown(group), fmt::format("{}", fmt::join(found, ",")));
  } else if (!group.contains('.')) {
    errors.Invalid(path, Shown(group), "should be a domain with at least one dot");
  }
}

void CheckScope(const std::string& scope, const Path& path, FieldErrors& errors) {
  if (scope.empty()) {
    errors.Required(path);
  } else if (!IsIn(kScopes, scope)) {
    errors.NotSupported(path, scope, kScopes);
  }
}

void CheckVersionName(const std::string& name, const Path& path, FieldErrors& errors) {
  const api::NameErrors found = api::CheckDns1035Label(name);
  if (!found.empty()) errors.Invalid(path, Shown(name), fmt::format("{}", fmt::join(found, ",")));
}

/// One pass over a spec.
class SpecCheck {
 public:
  SpecCheck(const CustomResourceDefinitionSpec& spec,
            const Requirements& required,
            FieldErrors& errors)
      : spec_(spec),
        required_(required),
        errors_(errors),
        hoisted_(FindHoisted(spec)),
        schemas_(required, errors) {}

  void Run() {
    CheckGroup(spec_.group, path_.Child("group"), errors_);
    CheckScope(spec_.scope, path_.Child("scope"), errors_);
    CheckSchemasPresent();
    CheckPreserving();
    Versions();
    const Path names = path_.Child("names");
    CheckNamesPresent(spec_.names, names, errors_);
    CheckNames(spec_.names, names, errors_);
    HoistedParts();
    Conversion();
  }

 private:
  void CheckSchemasPresent() {
    if (!required_.schema_in_every_version && spec_.preserve_unknown_fields) return;
    const Path versions = path_.Child("versions");
    for (size_t i = 0; i < spec_.versions.size() && !errors_.is_full(); ++i) {
      if (SchemaOf(spec_.versions[i]) != nullptr) continue;
      const Path version = versions.Index(i);
      const Path schema = version.Child("schema");
      if (required_.schema_in_every_version) {
        errors_.Required(schema.Child("openAPIV3Schema"));
      } else if (spec_.versions[i].served) {
        errors_.Required(schema.Child("openAPIV3Schema"),
                         "because otherwise all fields are pruned");
      }
    }
  }

  void CheckPreserving() {
    if (!spec_.preserve_unknown_fields) return;
    const auto has_default = [](const JSONSchemaProps& schema) {
      return schema.default_.has_value();
    };
    if (!AnySchema(spec_, has_default)) return;
    errors_.Invalid(path_.Child("preserveUnknownFields"),
                    "true",
                    "must be false in order to use defaults in the schema");
  }

  void Versions() {
    const Path path = path_.Child("versions");
    std::map<std::string_view, size_t> first;
    for (size_t i = 0; i < spec_.versions.size(); ++i) first.try_emplace(spec_.versions[i].name, i);
    for (size_t i = 0; i < spec_.versions.size() && !errors_.is_full(); ++i) {
      const Path at = path.Index(i);
      const CustomResourceDefinitionVersion& version = spec_.versions[i];
      CheckVersionName(version.name, at.Child("name"), errors_);
      // The first of several versions with one name decides which subresources there are.
      const size_t named = first.at(version.name);
      Version(version, StatusIn(spec_.versions[named].subresources), at);
    }
    if (first.size() < spec_.versions.size()) {
      errors_.Invalid(path, ShownVersions(), "must contain unique version names");
    }
    if (std::ranges::count(spec_.versions, true, &CustomResourceDefinitionVersion::storage) != 1) {
      errors_.Invalid(
          path, ShownVersions(), "must have exactly one version marked as storage version");
    }
    // The internal form names the first version also above the versions.
    if (!spec_.versions.empty() && !spec_.versions.front().name.empty()) {
      CheckVersionName(spec_.versions.front().name, path_.Child("version"), errors_);
    }
  }

  void Version(const CustomResourceDefinitionVersion& version,
               HasStatus has_status,
               const Path& path) {
    CheckDeprecationWarning(version, path.Child("deprecationWarning"), errors_);
    const JSONSchemaProps* schema = SchemaOf(version);
    if (schema != nullptr && !hoisted_.schema) {
      const Path at = path.Child("schema");
      schemas_.Run(*schema, version.name, has_status, at.Child("openAPIV3Schema"));
    }
    if (version.subresources.has_value() && !hoisted_.subresources) {
      CheckSubresources(*version.subresources, path.Child("subresources"), errors_);
    }
    if (!hoisted_.columns) {
      CheckColumns(
          version.additional_printer_columns, path.Child("additionalPrinterColumns"), errors_);
    }
    if (!hoisted_.selectable_fields && !version.selectable_fields.empty()) {
      SelectableFields(version, version.name, path.Child("selectableFields"));
    }
  }

  // Upstream looks for the schema where it looks for the fields, and misses it if only one of the
  // two was hoisted.
  void SelectableFields(const CustomResourceDefinitionVersion& version,
                        std::string_view name,
                        const Path& path) {
    const JSONSchemaProps* schema = SchemaOf(version);
    const bool is_found = hoisted_.schema == hoisted_.selectable_fields;
    if (schema != nullptr && is_found) {
      CheckSelectableFields(version.selectable_fields,
                            *schema,
                            required_.many_selectable_fields.contains(name),
                            path,
                            errors_);
      return;
    }
    errors_.Invalid(path,
                    Shown(""),
                    hoisted_.selectable_fields
                        ? "may only be set when validations.schema is included"
                        : "may only be set when `version.schema.openAPIV3Schema` is not included");
  }

  /// What all versions have in common.
  void HoistedParts() {
    if (spec_.versions.empty()) return;
    const CustomResourceDefinitionVersion& version = spec_.versions.front();
    const JSONSchemaProps* schema = SchemaOf(version);
    if (hoisted_.schema && schema != nullptr) {
      const bool has_status = std::ranges::any_of(spec_.versions, [](const auto& one) {
        return StatusIn(one.subresources) == HasStatus::kYes;
      });
      const Path at = path_.Child("validation");
      schemas_.Run(*schema,
                   version.name,
                   has_status ? HasStatus::kYes : HasStatus::kNo,
                   at.Child("openAPIV3Schema"));
    }
    if (hoisted_.subresources && version.subresources.has_value()) {
      CheckSubresources(*version.subresources, path_.Child("subresources"), errors_);
    }
    if (hoisted_.columns) {
      CheckColumns(
          version.additional_printer_columns, path_.Child("additionalPrinterColumns"), errors_);
    }
    if (hoisted_.selectable_fields && !version.selectable_fields.empty()) {
      SelectableFields(version, "", path_.Child("selectableFields"));
    }
  }

  void Conversion() {
    if (!spec_.conversion.has_value()) return;
    const Path path = path_.Child("conversion");
    if (spec_.conversion->strategy != "None" && spec_.preserve_unknown_fields) {
      errors_.Invalid(path.Child("strategy"),
                      Shown(spec_.conversion->strategy),
                      "must be None if spec.preserveUnknownFields is true");
    }
    CheckConversion(*spec_.conversion, required_, path, errors_);
  }

  /// The versions in the internal form, without what was hoisted.
  std::string ShownVersions() const {
    api::List<CustomResourceDefinitionVersion> shown;
    if (spec_.versions.present()) shown.set_present();
    size_t size = 0;
    for (const CustomResourceDefinitionVersion& version : spec_.versions) {
      if (size > api::validation::kShownMax) break;
      CustomResourceDefinitionVersion& one = shown.emplace_back();
      one.name = api::Cut(version.name, api::validation::kShownMax);
      one.served = version.served;
      one.storage = version.storage;
      one.deprecated = version.deprecated;
      one.deprecation_warning = version.deprecation_warning;
      if (!hoisted_.schema) one.schema = version.schema;
      if (!hoisted_.subresources) one.subresources = version.subresources;
      if (!hoisted_.columns) one.additional_printer_columns = version.additional_printer_columns;
      if (!hoisted_.selectable_fields) one.selectable_fields = version.selectable_fields;
      size += api::validation::ShownAsGo(one, errors_.release()).size();
    }
    return api::Cut(api::validation::ShownAsGo(shown, errors_.release()),
                    api::validation::kShownMax);
  }

  const CustomResourceDefinitionSpec& spec_;
  const Requirements& required_;
  FieldErrors& errors_;
  const Hoisted hoisted_;
  const Path path_{"spec"};
  SchemaCheck schemas_;
};

template <class T>
void CheckSame(const T& next, const T& old, const Path& path, FieldErrors& errors) {
  if (next != old) errors.Invalid(path, Shown(next), api::validation::kImmutable);
}

}  // namespace

void CheckSpec(const CustomResourceDefinitionSpec& spec,
               const Requirements& required,
               FieldErrors& errors) {
  SpecCheck(spec, required, errors).Run();
}

void CheckSpecChange(const CustomResourceDefinitionSpec& spec,
                     const CustomResourceDefinitionSpec& old,
                     const Requirements& required,
                     FieldErrors& errors) {
  const Path path("spec");
  const Path names = path.Child("names");
  if (required.immutable_names) {
    CheckSame(spec.scope, old.scope, path.Child("scope"), errors);
    CheckSame(spec.names.kind, old.names.kind, names.Child("kind"), errors);
  }
  CheckSame(spec.group, old.group, path.Child("group"), errors);
  CheckSame(spec.names.plural, old.names.plural, names.Child("plural"), errors);
}

}  // namespace dray::custom::definitions
