// SPDX-License-Identifier: Apache-2.0
// Reads a running cluster as if it were manifests.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/kind.h"
#include "base/result.h"
#include "base/world.h"
#include "cli/input/served_gates.h"
#include "client/client.h"
#include "client/http_client.h"
#include "client/kubeconfig.h"
#include "manifests/objects.h"

namespace dray::cli::inline input {

/// The namespace if none is named.
inline constexpr const char* kDefaultNamespace = "default";

/// A kind in the listed version, with the resource version of the list.
struct ListedVersion {
  const api::KindInfo* kind = nullptr;
  std::string resource_version;
  std::string namespace_ = {};  // the only one listed; empty: all
};

struct LiveInput {
  manifests::Manifests read;  // places name the server; unreadable kinds are noted
  std::string namespace_;     // of the context; empty: it has none
  std::vector<ListedVersion> listed;
  /// Kinds that the user may not list, or not in all namespaces. Answers lack them and may be
  /// wrong.
  std::vector<std::string> unread = {};
  std::string version = {};  // "v1.37.0"; empty: unknown
  bool is_upstream = false;  // a build of Kubernetes itself, by its compiler
  /// Its feature gates; empty: unknown, for the following reason.
  ServedGates gates = {};
  std::string why_no_gates = {};
};

/// The kubeconfig that kubectl would use: the first of KUBECONFIG, or .kube/config in the home
/// folder. Precondition: no thread has started.
std::string UsualKubeconfig();

/// Lists the objects of a kind, of one namespace or of all (empty).
using ListObjects =
    std::function<Result<client::ObjectList>(const api::KindInfo&, const std::string& namespace_)>;

/// Adds to `live` what ReadLive lists, by `list`; `source` is the place of the objects. Kinds that
/// may not be listed are noted. Errors: those of `list` but kForbidden and kNotFound.
Result<> AddObjects(const ListObjects& list, const std::string& source, LiveInput& live);

/// How to reach the cluster. Errors: the kubeconfig cannot be read.
Result<client::ClusterAccess> AccessTo(World& world,
                                       const std::string& kubeconfig,
                                       const std::string& context);

/// The version and the feature gates of a server, as far as it tells them; nothing is listed.
LiveInput FactsOf(client::HttpClient& client);

/// Lists the objects that allocation and scheduling depend on, resource.k8s.io in the newest
/// version of the server. If the user may not list a kind in all namespaces, lists it in
/// `namespace_`, or in the context's namespace, or in "default". Writes nothing.
///
/// Errors: the kubeconfig cannot be read; the server cannot be reached. Kinds that the user may not
/// list are no error.
Result<LiveInput> ReadLive(World& world,
                           const std::string& kubeconfig,
                           const std::string& context,
                           const std::string& namespace_);

/// The CustomResourceDefinitions of a server.
struct LiveDefinitions {
  std::string server;  // its URL
  std::string list;    // a CustomResourceDefinitionList in JSON
};

/// Errors: as ReadLive, and those of the server, which may refuse to list them.
Result<LiveDefinitions> ReadDefinitions(World& world,
                                        const std::string& kubeconfig,
                                        const std::string& context);

/// The group versions, such as "example.com/v1", that a command asks a server about at most.
inline constexpr size_t kAskedVersionsMax = 64;

/// What a server serves in these group versions, of which the first kAskedVersionsMax are asked
/// about; those that it does not have are left out. Errors: as ReadLive.
Result<std::vector<api::TypeMeta>> ServedIn(World& world,
                                            const std::string& kubeconfig,
                                            const std::string& context,
                                            const std::set<std::string>& api_versions);

}  // namespace dray::cli::inline input
