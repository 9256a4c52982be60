// SPDX-License-Identifier: Apache-2.0
// One question to the allocator as a value: a cluster, its allocations, and the claims of a pod.
#pragma once

#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/features.h"

namespace dray::judges {

/// Objects are in the order in which the allocator gets them, which can affect the answer. Each
/// node is a question of its own.
struct Problem {
  std::string id;
  allocator::Features features;
  std::vector<api::core_v1::Node> nodes;  // name, labels and declared features only
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes;
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims;
  allocator::AllocatedState allocated;
};

}  // namespace dray::judges
