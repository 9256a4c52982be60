// SPDX-License-Identifier: Apache-2.0
// Hardware profiles: what a simulated node has, as data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"

namespace dray::node {

/// A node and the devices its drivers publish: per driver one pool of one slice, named like the
/// node.
struct SimulatedNode {
  api::core_v1::Node node;
  std::vector<api::resource_v1::ResourceSlice> slices;
};

/// "example": 8 GPUs as the Kubernetes DRA example driver publishes them. "8-gpu-server": 8 H100
/// and 8 RDMA NICs, a pair to a PCIe root, as gpu.nvidia.com and dra.net do.
std::vector<std::string_view> Profiles();
bool HasProfile(std::string_view profile);
/// All of them, for messages: "8-gpu-server, example".
std::string ProfileNames();

/// The node "<profile>-<number>". The same arguments give the same node, UUIDs included.
/// Errors: kNotFound  no such profile.
Result<SimulatedNode> MakeNode(std::string_view profile, size_t number);

}  // namespace dray::node
