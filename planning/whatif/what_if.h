// SPDX-License-Identifier: Apache-2.0
// Changes to a cluster that is written down, before somebody asks what would fit: values in, values
// out, nothing is written anywhere.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "base/result.h"
#include "base/world.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline whatif {

/// Copies of one node, or of one pod, at most.
inline constexpr size_t kCopiesMax = 10'000;

/// Takes the pod or claim ("pod/name", "namespace/…" before it or not) away; what only it had is
/// free. Errors: kBadRequest  there is none of that name, with those that are spelt alike.
Result<> Delete(OfflineObjects& objects,
                std::string_view what,
                const std::string& default_namespace);

/// Cordons the node. Its pods wait again, but for those of DaemonSets, and their claims have no
/// devices any more unless others use them. Returns the pods ("pod namespace/name").
/// Errors: kBadRequest  no such node.
Result<std::vector<std::string>> Drain(OfflineObjects& objects, const std::string& node);

/// Drain, and the node goes with its slices.
Result<std::vector<std::string>> RemoveNode(OfflineObjects& objects, const std::string& node);

/// A taint that is given to a node ("node/NAME=KEY=VALUE:EFFECT") or to devices
/// ("device/DRIVER/POOL/DEVICE=KEY=VALUE:EFFECT"; POOL and DEVICE may be left out: all of them;
/// VALUE too). What has the effect NoExecute makes pods that do not tolerate it look for another
/// place: those, as from Drain. Errors: kBadRequest  it reads otherwise, or there is no such node
/// or device.
Result<std::vector<std::string>> AddTaint(OfflineObjects& objects, std::string_view taint);

/// `slices` take the place of all slices of their drivers. Pods that have devices which are gone
/// look for another place: those, as from Drain. Errors: kBadRequest  there are no slices.
Result<std::vector<std::string>> UpgradeDriver(
    OfflineObjects& objects, std::vector<Frozen<api::resource_v1::ResourceSlice>> slices);

/// A node with slices that is not there yet. Errors: kBadRequest  it is.
Result<> AddNode(OfflineObjects& objects,
                 api::Object node,
                 std::vector<Frozen<api::resource_v1::ResourceSlice>> slices);

/// `count` nodes more that are like `node` and have slices like its, free of pods and claims. Their
/// names are new: NODE-more-0, …
/// Errors: kBadRequest  no such node, or more than kCopiesMax.
Result<> AddNodesLike(OfflineObjects& objects, const std::string& node, size_t count);

/// Adds the pods of all DaemonSets for the nodes that are not among `nodes_before`, before all
/// other pods: they are there first. Of a DaemonSet that is not among the objects, each of these
/// nodes gets a pod like the one on node `like`; empty: none. Returns them, "pod namespace/name".
///
/// Errors: kBadRequest  too many nodes (PodsOf).
Result<std::vector<std::string>> AddDaemons(World& world,
                                            OfflineObjects& objects,
                                            const std::set<std::string>& nodes_before,
                                            const std::string& like);

/// A pod like `pod` that nothing knows yet: with this name, waiting.
PlacedObject CopyOf(World& world, const PlacedObject& pod, std::string name);

}  // namespace dray::planning::inline whatif
