// SPDX-License-Identifier: Apache-2.0
#include "server/storage/keys.h"

#include <array>
#include <cstddef>

#include "api/custom_kind.h"

namespace dray::server::storage {
namespace {

struct Exception {
  std::string_view group, plural, folder;
};

// Kinds whose folder has an older name of the kind, as upstream's storage has.
constexpr std::array kExceptions = {
    Exception{.group = "", .plural = "endpoints", .folder = "services/endpoints"},
    Exception{.group = "", .plural = "nodes", .folder = "minions"},
    Exception{.group = "", .plural = "replicationcontrollers", .folder = "controllers"},
    Exception{.group = "", .plural = "services", .folder = "services/specs"},
    Exception{.group = "networking.k8s.io", .plural = "ingresses", .folder = "ingress"}};

std::string_view FolderOf(const api::KindInfo& kind) {
  for (const Exception& exception : kExceptions) {
    if (exception.group == kind.group && exception.plural == kind.plural) return exception.folder;
  }
  return kind.plural;
}

// Objects of custom kinds lie in a folder of their group.
std::string CustomFolder(const api::KindInfo& kind, size_t more) {
  std::string prefix;
  prefix.reserve(kRegistry.size() + kind.group.size() + kind.plural.size() + 2 + more);
  return prefix.append(kRegistry).append(kind.group).append("/").append(kind.plural).append("/");
}

// ResourcePrefix() with room for `more` bytes: every request makes some keys.
std::string Folder(const api::KindInfo& kind, size_t more) {
  if (api::IsCustom(kind)) return CustomFolder(kind, more);
  const std::string_view folder = FolderOf(kind);
  std::string prefix;
  prefix.reserve(kRegistry.size() + folder.size() + 1 + more);
  prefix.append(kRegistry).append(folder).append("/");
  return prefix;
}

// CollectionPrefix() with room for `more` bytes.
std::string Collection(const api::KindInfo& kind, std::string_view namespace_, size_t more) {
  if (!kind.namespaced || namespace_.empty()) return Folder(kind, more);
  std::string prefix = Folder(kind, namespace_.size() + 1 + more);
  prefix.append(namespace_).append("/");
  return prefix;
}

}  // namespace

std::string ResourcePrefix(const api::KindInfo& kind) {
  return Folder(kind, 0);
}

std::string CollectionPrefix(const api::KindInfo& kind, std::string_view namespace_) {
  return Collection(kind, namespace_, 0);
}

std::string ObjectKey(const api::KindInfo& kind,
                      std::string_view namespace_,
                      std::string_view name) {
  std::string key = Collection(kind, namespace_, name.size());
  key.append(name);
  return key;
}

std::string NamespaceKey(std::string_view name) {
  constexpr std::string_view kFolder = "/registry/namespaces/";
  std::string key;
  key.reserve(kFolder.size() + name.size());
  key.append(kFolder).append(name);
  return key;
}

}  // namespace dray::server::storage
