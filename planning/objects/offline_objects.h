// SPDX-License-Identifier: Apache-2.0
// The objects of a cluster, sorted out of manifests or the output of `kubectl get`, as an API
// server would store them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/world.h"
#include "manifests/objects.h"

namespace dray::planning::inline objects {

/// The taint that the node controller adds to cordoned nodes.
inline constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";

/// An object and where it was read: FILE:LINE.
struct PlacedObject {
  api::Object object;
  std::string place;
};

/// A Deployment, Job or the like (wanted_pods.h), with its position among the pods.
struct PlacedWorkload {
  PlacedObject workload;
  size_t pods_before = 0;  // index into OfflineObjects::pods
};

struct OfflineObjects {
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // as given
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes;
  std::vector<Frozen<api::resource_v1::DeviceTaintRule>> taint_rules;
  std::map<std::string, PlacedObject> claims;    // by namespace/name; the last of a name wins
  std::vector<std::string> claim_order;          // as given
  std::map<std::string, api::Object> templates;  // by namespace/name
  std::vector<PlacedObject> pods;
  /// As given, the last of a name; `pods` does not contain their pods.
  std::vector<PlacedWorkload> workloads;
  /// By name. A node that only slices name has nothing but its name.
  std::map<std::string, api::Object> nodes;
  bool has_nodes = false;                         // the input has nodes
  std::map<std::string, api::Object> namespaces;  // of the input, by name
  /// Of other kinds that scheduling depends on (scheduler::ClusterObjects): volumes, services, …
  std::vector<api::Object> looked_at;
  /// The objects that admission of new pods and their priority depend on.
  std::vector<api::Object> quotas, limit_ranges, priority_classes;
  /// Objects of resource.k8s.io that are ignored, with their places.
  std::vector<std::string> notes;
  /// The number of objects of irrelevant kinds, by kind.
  std::map<std::string, size_t, std::less<>> others;
  /// The number of skipped objects of resource.k8s.io, by "resource.k8s.io/v1alpha2 ResourceClaim".
  std::map<std::string, size_t, std::less<>> skipped;
};

/// Sorts the manifests. Objects get defaults, uids and their storage version. Uids are made from
/// names, so the same input gets the same uids. Objects without a namespace get
/// `default_namespace`. All processors change the objects in place, so the caller must own them
/// alone.
OfflineObjects SortManifests(World& world,
                             manifests::Manifests&& manifests,
                             const std::string& default_namespace);

/// Copies that share nothing with the originals.
std::vector<manifests::ManifestObject> CopiesOf(
    const std::vector<manifests::ManifestObject>& objects);

/// A copy as the API server would have stored it: defaults, a uid made from its name, the version
/// of its hub.
api::Object AsStored(World& world, const api::Object& object, const std::string& default_namespace);

}  // namespace dray::planning::inline objects
