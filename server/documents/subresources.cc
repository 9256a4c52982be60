// SPDX-License-Identifier: Apache-2.0
#include "server/documents/subresources.h"

#include <algorithm>

#include "server/registry/served_kinds.h"

namespace dray::server::documents {
namespace {

using api::KindInfo;

constexpr std::string_view kCreated[] = {"create"};
constexpr std::string_view kUpdateOnly[] = {"update"};
constexpr std::string_view kOfSubresources[] = {"get", "patch", "update"};
constexpr std::string_view kOfStreams[] = {"create", "get"};
constexpr std::string_view kGetOnly[] = {"get"};
constexpr std::string_view kOfProxies[] = {"create", "delete", "get", "patch", "update"};

std::string_view ProxyKind(const KindInfo& parent) {
  if (parent.kind == "Pod") return "PodProxyOptions";
  return parent.kind == "Node" ? "NodeProxyOptions" : "ServiceProxyOptions";
}

Subresource Describe(const KindInfo& parent, std::string_view name) {
  if (name == "binding") return {.name = name, .kind = "Binding", .verbs = kCreated};
  if (name == "eviction") {
    return {
        .name = name, .group = "policy", .version = "v1", .kind = "Eviction", .verbs = kCreated};
  }
  if (name == "token") {
    return {.name = name,
            .group = "authentication.k8s.io",
            .version = "v1",
            .kind = "TokenRequest",
            .verbs = kCreated};
  }
  if (name == "scale") {
    return {.name = name,
            .group = "autoscaling",
            .version = "v1",
            .kind = "Scale",
            .verbs = kOfSubresources};
  }
  if (name == "attach") return {.name = name, .kind = "PodAttachOptions", .verbs = kOfStreams};
  if (name == "exec") return {.name = name, .kind = "PodExecOptions", .verbs = kOfStreams};
  if (name == "portforward") {
    return {.name = name, .kind = "PodPortForwardOptions", .verbs = kOfStreams};
  }
  if (name == "log") return {.name = name, .kind = parent.kind, .verbs = kGetOnly};
  if (name == "proxy") return {.name = name, .kind = ProxyKind(parent), .verbs = kOfProxies};
  if (name == "finalize") return {.name = name, .kind = parent.kind, .verbs = kUpdateOnly};
  return {.name = name, .kind = parent.kind, .verbs = kOfSubresources};
}

}  // namespace

std::vector<Subresource> SubresourcesOf(const KindInfo& kind, api::Release release) {
  std::vector<std::string_view> names(kind.subresources.begin(), kind.subresources.end());
  names.emplace_back("status");
  std::erase_if(
      names, [&](std::string_view name) { return !registry::HasSubresource(kind, name, release); });
  std::ranges::sort(names);
  std::vector<Subresource> described;
  described.reserve(names.size());
  for (const std::string_view name : names) described.push_back(Describe(kind, name));
  return described;
}

}  // namespace dray::server::documents
