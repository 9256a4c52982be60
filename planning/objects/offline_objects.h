// SPDX-License-Identifier: Apache-2.0
// What a cluster consists of, sorted out of manifests or the output of `kubectl get`: as an API
// server would hold it.
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
#include "base/published.h"
#include "base/world.h"
#include "manifests/objects.h"

namespace dray::planning::inline objects {

/// The taint that the node controller gives to nodes that are cordoned.
inline constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";

/// An object and where it was read: FILE:LINE.
struct PlacedObject {
  api::Object object;
  std::string place;
};

/// A Deployment, Job or the like (wanted_pods.h), among the pods.
struct PlacedWorkload {
  PlacedObject workload;
  size_t pods_before = 0;  // of OfflineObjects::pods
};

struct OfflineObjects {
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // as given
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes;
  std::vector<Frozen<api::resource_v1::DeviceTaintRule>> taint_rules;
  std::map<std::string, PlacedObject> claims;    // by namespace/name; the last of a name counts
  std::vector<std::string> claim_order;          // as given
  std::map<std::string, api::Object> templates;  // by namespace/name
  std::vector<PlacedObject> pods;
  /// As given, the last of a name; their pods are not among `pods`.
  std::vector<PlacedWorkload> workloads;
  /// By name. Nodes that only slices name have nothing but that name.
  std::map<std::string, api::Object> nodes;
  bool has_nodes = false;                         // some of them were given
  std::map<std::string, api::Object> namespaces;  // that were given, by name
  /// Of other kinds that the scheduler looks at (scheduler::ClusterObjects): volumes, services, …
  std::vector<api::Object> looked_at;
  /// What lets new pods in, and says how important they are.
  std::vector<api::Object> quotas, limit_ranges, priority_classes;
  /// Objects of resource.k8s.io that take no part, and where they stand.
  std::vector<std::string> notes;
  /// How many objects there are of other kinds, by kind: none of them matters.
  std::map<std::string, size_t, std::less<>> others;
  /// How many of resource.k8s.io were skipped, by "resource.k8s.io/v1alpha2 ResourceClaim".
  std::map<std::string, size_t, std::less<>> skipped;
};

/// Sorts the manifests; objects get defaults, uids and the version they are stored in. Uids are
/// made from names, so they are the same whenever the same is read. Those without a namespace get
/// `default_namespace`. They are changed in place, on all processors: nobody else has them.
OfflineObjects SortManifests(World& world,
                             manifests::Manifests&& manifests,
                             const std::string& default_namespace);

/// Copies that nobody else has.
std::vector<manifests::ManifestObject> CopiesOf(
    const std::vector<manifests::ManifestObject>& objects);

/// A copy as the API server would have stored it: defaults, a uid made from its name, the version
/// of its hub.
api::Object AsStored(World& world, const api::Object& object, const std::string& default_namespace);

}  // namespace dray::planning::inline objects
