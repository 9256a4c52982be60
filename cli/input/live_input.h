// SPDX-License-Identifier: Apache-2.0
// A running cluster, read as if it were written down.
#pragma once

#include <string>
#include <vector>

#include "api/kind.h"
#include "base/result.h"
#include "base/world.h"
#include "cli/input/served_gates.h"
#include "client/kubeconfig.h"
#include "manifests/objects.h"

namespace dray::cli::inline input {

/// Where nobody names one.
inline constexpr const char* kDefaultNamespace = "default";

/// A kind in the version in which it was listed, and when.
struct ListedVersion {
  const api::KindInfo* kind = nullptr;
  std::string resource_version;
  std::string namespace_ = {};  // the only one; empty: all
};

struct LiveInput {
  manifests::Manifests read;  // the server instead of a file; what may not be read is noted
  std::string namespace_;     // of the context; empty: it names none
  std::vector<ListedVersion> listed;
  /// What may not be listed, or not in all namespaces: the answer does without, so it may be wrong.
  std::vector<std::string> unread = {};
  std::string version = {};  // "v1.37.0"; empty: the server does not say
  bool is_upstream = false;  // the server is Kubernetes' own, as its compiler shows
  /// Its feature gates; empty: it does not say, for that reason.
  ServedGates gates = {};
  std::string why_no_gates = {};
};

/// The kubeconfig that kubectl would take: the first of KUBECONFIG, or .kube/config in the home
/// folder. Precondition: no thread has started.
std::string UsualKubeconfig();

/// How to reach the cluster. Errors: the kubeconfig cannot be read.
Result<client::ClusterAccess> AccessTo(World& world,
                                       const std::string& kubeconfig,
                                       const std::string& context);

/// Lists what decides about devices and pods, resource.k8s.io in the newest version that the server
/// has. What may not be listed in all namespaces is listed in `namespace_`, or in that of the
/// context, or in "default". Nothing is written.
///
/// Errors: the kubeconfig cannot be read; the server cannot be reached. Kinds that may not be
/// listed are no error.
Result<LiveInput> ReadLive(World& world,
                           const std::string& kubeconfig,
                           const std::string& context,
                           const std::string& namespace_);

}  // namespace dray::cli::inline input
