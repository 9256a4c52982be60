// SPDX-License-Identifier: Apache-2.0
#include "manifests/defined_versions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/apiextensions_v1.h"
#include "manifests/known_kinds.h"

namespace dray::manifests {

void DefinedVersions::AddDefinitions(const Manifests& manifests) {
  for (const ManifestObject& one : manifests.objects) {
    const auto* definition = one.object.If<api::apiextensions_v1::CustomResourceDefinition>();
    if (definition == nullptr) continue;
    const auto& spec = definition->spec;
    for (const auto& version : spec.versions) {
      if (version.served) Add(fmt::format("{}/{}", spec.group, version.name), spec.names.kind);
    }
  }
}

void DefinedVersions::Add(std::string_view api_version, std::string_view kind) {
  versions_[Kind(GroupOf(api_version), kind)].emplace(api_version);
}

bool DefinedVersions::Has(const api::TypeMeta& type) const {
  const auto found = versions_.find(Kind(GroupOf(type.api_version), type.kind));
  return found != versions_.end() && found->second.contains(type.api_version);
}

std::string DefinedVersions::VersionsOf(const api::TypeMeta& type) const {
  const auto found = versions_.find(Kind(GroupOf(type.api_version), type.kind));
  return found == versions_.end() ? std::string()
                                  : fmt::format("{}", fmt::join(found->second, ", "));
}

std::set<std::string> UndefinedVersions(const Manifests& manifests,
                                        const DefinedVersions& defined) {
  std::set<std::string> versions;
  for (const UnknownKindNote& unknown : manifests.unknown) {
    const bool has_group = !GroupOf(unknown.type.api_version).empty();
    if (has_group && !defined.Has(unknown.type)) versions.insert(unknown.type.api_version);
  }
  return versions;
}

void CorrectNotes(const DefinedVersions& defined, Manifests& manifests) {
  std::set<size_t> removed;
  for (const UnknownKindNote& unknown : manifests.unknown) {
    std::string& note = manifests.notes[unknown.note];
    const std::string versions = defined.VersionsOf(unknown.type);
    if (versions.empty()) continue;
    if (!defined.Has(unknown.type)) {
      note = fmt::format("{}: its definition serves {}", unknown.treatment, versions);
    } else if (unknown.is_used) {
      note = unknown.treatment;
    } else {
      removed.insert(unknown.note);
    }
  }
  manifests.unknown.clear();
  manifests.custom += removed.size();
  size_t index = 0;
  std::erase_if(manifests.notes, [&](const std::string&) { return removed.contains(index++); });
}

}  // namespace dray::manifests
