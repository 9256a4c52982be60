// SPDX-License-Identifier: Apache-2.0
#include "server/storage/keys.h"

#include <array>

namespace dray::server::storage {
namespace {

struct Exception {
  std::string_view group, plural, folder;
};

// Upstream kept the words it stored some kinds under before they were called so.
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

}  // namespace

std::string ResourcePrefix(const api::KindInfo& kind) {
  std::string prefix(kRegistry);
  prefix.append(FolderOf(kind)).append("/");
  return prefix;
}

std::string CollectionPrefix(const api::KindInfo& kind, std::string_view namespace_) {
  std::string prefix = ResourcePrefix(kind);
  if (kind.namespaced && !namespace_.empty()) prefix.append(namespace_).append("/");
  return prefix;
}

std::string ObjectKey(const api::KindInfo& kind,
                      std::string_view namespace_,
                      std::string_view name) {
  return CollectionPrefix(kind, namespace_).append(name);
}

std::string NamespaceKey(std::string_view name) {
  return std::string("/registry/namespaces/").append(name);
}

}  // namespace dray::server::storage
