// SPDX-License-Identifier: Apache-2.0
#include "api/kind.h"

namespace dray::api {
namespace {

std::string Qualified(std::string_view word, std::string_view group) {
  std::string name(word);
  if (!group.empty()) name.append(".").append(group);
  return name;
}

}  // namespace

std::string KindInfo::qualified_resource() const {
  return Qualified(plural, group);
}

std::string KindInfo::qualified_kind() const {
  return Qualified(kind, group);
}

const KindInfo* Scheme::FindKind(std::string_view api_version, std::string_view kind) const {
  const size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  for (const KindInfo* info : kinds_) {
    if (info->kind == kind && info->version == version && info->group == group) return info;
  }
  return nullptr;
}

const KindInfo* Scheme::FindResource(std::string_view group,
                                     std::string_view version,
                                     std::string_view plural) const {
  for (const KindInfo* info : kinds_) {
    if (info->plural == plural && info->version == version && info->group == group &&
        info->served) {
      return info;
    }
  }
  return nullptr;
}

}  // namespace dray::api
