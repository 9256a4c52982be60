// SPDX-License-Identifier: Apache-2.0
// Devices for which a kubelet leaves out calls to their driver (gate DRAOptionalNodeOperations).
#pragma once

#include <algorithm>
#include <string_view>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"

namespace dray::api::claims {

/// Whether the kubelet of the node reports that it supports this.
inline bool MaySkipOperations(const core_v1::Node& node) {
  constexpr std::string_view kFeature = "DRAOptionalNodeOperations";
  const auto& declared = node.status.declared_features;
  return std::ranges::find(declared, kFeature) != declared.end();
}

/// Whether the kubelet must support that, for some device of the allocation.
inline bool SkipsOperations(const resource_v1::AllocationResult& allocation) {
  return std::ranges::any_of(allocation.devices.results, [](const auto& result) {
    return !result.skip_node_operations.empty();
  });
}

}  // namespace dray::api::claims
