// SPDX-License-Identifier: Apache-2.0
// Planned changes to a cluster of manifests, applied before asking what would fit. Values in,
// values out; nothing is written to a server.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/world.h"
#include "planning/objects/offline_objects.h"
#include "planning/objects/workloads.h"

namespace dray::planning::inline whatif {

/// The most copies of one node, or of one pod.
inline constexpr size_t kCopiesMax = 10'000;

/// Removes the pod or claim ("pod/name", optionally with "namespace/…" before it) and frees what
/// only it had. Errors: kBadRequest  there is none of that name; the message suggests similar
/// names.
Result<> Delete(OfflineObjects& objects,
                std::string_view what,
                const std::string& default_namespace);

/// Cordons the node. Its pods wait again, except those of DaemonSets, and their claims lose their
/// devices unless other pods use them. Returns the pods ("pod namespace/name"). Errors:
/// kBadRequest  no such node.
Result<std::vector<std::string>> Drain(OfflineObjects& objects, const std::string& node);

/// Drains the node, then removes it with its slices.
Result<std::vector<std::string>> RemoveNode(OfflineObjects& objects, const std::string& node);

/// Adds a taint to a node ("node/NAME=KEY=VALUE:EFFECT") or to devices
/// ("device/DRIVER/POOL/DEVICE=KEY=VALUE:EFFECT"; without POOL or DEVICE: to all of them; VALUE is
/// optional too). A taint with the effect NoExecute makes pods that do not tolerate it wait again.
/// Returns these pods, as Drain does. Errors: kBadRequest  the syntax is wrong, or there is no such
/// node or device.
Result<std::vector<std::string>> AddTaint(OfflineObjects& objects, std::string_view taint);

/// Replaces all slices of their drivers by `slices`. Pods whose devices are gone wait again.
/// Returns these pods, as Drain does. Errors: kBadRequest  there are no slices.
Result<std::vector<std::string>> UpgradeDriver(
    OfflineObjects& objects, std::vector<Frozen<api::resource_v1::ResourceSlice>> slices);

/// Adds a new node with its slices. Errors: kBadRequest  the node exists already.
Result<> AddNode(OfflineObjects& objects,
                 api::Object node,
                 std::vector<Frozen<api::resource_v1::ResourceSlice>> slices);

/// Adds `count` nodes that are like `node` and have slices like its, without pods and claims, under
/// new names: NODE-more-0, … Errors: kBadRequest  no such node, or more than kCopiesMax.
Result<> AddNodesLike(OfflineObjects& objects, const std::string& node, size_t count);

/// Adds the pods of all DaemonSets for the nodes that are not among `nodes_before`, in front of all
/// other pods, because they run first. For a DaemonSet that is not among the objects, each of these
/// nodes gets a pod like the one on node `like`; empty: none. Returns them, "pod namespace/name".
///
/// Errors: kBadRequest  too many nodes (PodsOf), or more than `pods_max` pods.
Result<std::vector<std::string>> AddDaemons(World& world,
                                            OfflineObjects& objects,
                                            const std::set<std::string>& nodes_before,
                                            const std::string& like,
                                            size_t pods_max = kAllWorkloadPodsMax);

/// A new waiting pod like `pod`, with this name.
PlacedObject CopyOf(World& world, const PlacedObject& pod, std::string name);

}  // namespace dray::planning::inline whatif
