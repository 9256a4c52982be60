// SPDX-License-Identifier: Apache-2.0
// A large cluster in the format of `kubectl get nodes,deviceclasses,resourceslices,resourceclaims
// -A -o json`, and work to plan.
#pragma once

#include <cstddef>
#include <string>

namespace dray::bench {

inline constexpr size_t kPlannedNodes = 5000;
inline constexpr size_t kPlannedDevices = 8;  // per node
inline constexpr size_t kPlannedTaken = 4;    // of these, each by a claim of its own

/// A List of all objects, indented.
std::string ClusterFile();

/// A pod, "trainer", and a claim template: `count` devices of one node with 40 GiB each. Four fit
/// on every node, five on none.
std::string WorkFile(size_t count);

}  // namespace dray::bench
