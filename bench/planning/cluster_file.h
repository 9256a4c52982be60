// SPDX-License-Identifier: Apache-2.0
// A large cluster as `kubectl get nodes,deviceclasses,resourceslices,resourceclaims -A -o json`
// prints it, and work to ask about.
#pragma once

#include <cstddef>
#include <string>

namespace dray::bench {

inline constexpr size_t kPlannedNodes = 5000;
inline constexpr size_t kPlannedDevices = 8;  // of each
inline constexpr size_t kPlannedTaken = 4;    // of them, each by a claim of its own

/// A list of everything, indented.
std::string ClusterFile();

/// A pod, "trainer", and a claim template: `count` devices of one node with 40 GiB each. Four fit
/// on every node, five on none.
std::string WorkFile(size_t count);

}  // namespace dray::bench
