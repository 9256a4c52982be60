// SPDX-License-Identifier: Apache-2.0
// A running cluster, read as if it were written down.
#pragma once

#include <string>
#include <vector>

#include "api/kind.h"
#include "base/result.h"
#include "base/world.h"
#include "client/kubeconfig.h"
#include "manifests/objects.h"

namespace dray::cli {

/// A kind in the version in which it was listed, and when.
struct ListedVersion {
  const api::KindInfo* kind = nullptr;
  std::string resource_version;
};

struct LiveInput {
  manifests::Manifests read;  // the server instead of a file; what may not be read is noted
  std::string namespace_;     // of the context; empty: it names none
  std::vector<ListedVersion> listed;
  std::string version = {};  // "v1.37.0"; empty: the server does not say
  bool is_upstream = false;  // the server is Kubernetes' own, as its compiler shows
};

/// The kubeconfig that kubectl would take: the first of KUBECONFIG, or .kube/config in the home
/// folder. Precondition: no thread has started.
std::string UsualKubeconfig();

/// How to reach the cluster. Errors: the kubeconfig cannot be read.
Result<client::ClusterAccess> AccessTo(World& world,
                                       const std::string& kubeconfig,
                                       const std::string& context);

/// Lists what decides about devices: nodes, classes, slices, taint rules, claims, templates, pods
/// and namespaces, resource.k8s.io in the newest version that the server has. Nothing is written.
///
/// Errors: the kubeconfig cannot be read; the server cannot be reached. Kinds that may not be
/// listed are no error.
Result<LiveInput> ReadLive(World& world, const std::string& kubeconfig, const std::string& context);

}  // namespace dray::cli
