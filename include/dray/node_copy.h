// SPDX-License-Identifier: Apache-2.0
// A node like that one: what an autoscaler adds to a snapshot before the machine exists.
//
//   NodeCopy next = NodeLike(node, cluster.SlicesOfNode(node.metadata.name), "worker-new-0");
//   const std::vector<ClusterChange> added(next.slices.begin(), next.slices.end());
//   const Snapshot larger = cluster.With(added);
//   attempt.Allocate(next.node);
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"

namespace dray::allocator::inline v0 {

/// A node, and the slices that it alone has.
struct NodeCopy {
  api::core_v1::Node node;
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
};

/// A node like `node` called `name`, with copies of those of the `slices` that `node` alone has
/// (spec.nodeName). In the names of slices and their pools, the name of the new node replaces that
/// of the old one, or stands in front if they do not contain it. The label
/// kubernetes.io/hostname is the new name; the node is not cordoned. All else stays, uids too.
/// O(slices), and the copies.
NodeCopy NodeLike(const api::core_v1::Node& node,
                  std::span<const Frozen<api::resource_v1::ResourceSlice>> slices,
                  std::string_view name);

}  // namespace dray::allocator::inline v0
