// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/names.h"

#include <cstddef>

#include <fmt/format.h>

#include "base/text/ascii.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceDefinition;
using api::apiextensions_v1::CustomResourceDefinitionNames;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

void CheckLabel(std::string_view name, const Path& path, FieldErrors& errors) {
  const api::NameErrors found = api::CheckDns1035Label(name);
  if (!found.empty()) errors.Invalid(path, Shown(name), fmt::format("{}", fmt::join(found, ",")));
}

void CheckKind(std::string_view kind, const Path& path, FieldErrors& errors) {
  const api::NameErrors found = api::CheckDns1035Label(LowerAscii(kind));
  if (kind.empty() || found.empty()) return;
  errors.Invalid(
      path,
      Shown(kind),
      fmt::format("may have mixed case, but should otherwise match: {}", fmt::join(found, ",")));
}

void CheckLabels(const api::List<std::string>& names, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < names.size() && !errors.is_full(); ++i) {
    CheckLabel(names[i], path.Index(i), errors);
  }
}

}  // namespace

api::NameErrors CheckDefinitionName(const CustomResourceDefinition& next, std::string_view name) {
  if (name == fmt::format("{}.{}", next.spec.names.plural, next.spec.group)) return {};
  return {"must be spec.names.plural+\".\"+spec.group"};
}

void CheckNames(const CustomResourceDefinitionNames& names, const Path& path, FieldErrors& errors) {
  if (!names.plural.empty()) CheckLabel(names.plural, path.Child("plural"), errors);
  if (!names.singular.empty()) CheckLabel(names.singular, path.Child("singular"), errors);
  CheckKind(names.kind, path.Child("kind"), errors);
  CheckKind(names.list_kind, path.Child("listKind"), errors);
  CheckLabels(names.short_names, path.Child("shortNames"), errors);
  if (!names.kind.empty() && names.kind == names.list_kind) {
    errors.Invalid(
        path.Child("listKind"), Shown(names.list_kind), "kind and listKind may not be the same");
  }
  CheckLabels(names.categories, path.Child("categories"), errors);
}

void CheckNamesPresent(const CustomResourceDefinitionNames& names,
                       const Path& path,
                       FieldErrors& errors) {
  if (names.plural.empty()) errors.Required(path.Child("plural"));
  if (names.singular.empty()) errors.Required(path.Child("singular"));
  if (names.kind.empty()) errors.Required(path.Child("kind"));
  if (names.list_kind.empty()) errors.Required(path.Child("listKind"));
}

}  // namespace dray::custom::definitions
