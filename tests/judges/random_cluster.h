// SPDX-License-Identifier: Apache-2.0
// Random clusters: nodes, classes, the pools and slices that publish devices, and allocations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "dray/allocated_state.h"
#include "tests/judges/chance.h"
#include "tests/judges/family.h"
#include "tests/judges/random_devices.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {

/// The approximate number of a driver's devices that a node reaches and that are not taken as a
/// whole.
struct Supply {
  std::string_view driver;
  int free_devices;
};

/// A cluster under construction, which becomes a Problem.
struct Cluster {
  Traits traits;
  std::vector<api::core_v1::Node> nodes;
  std::vector<api::resource_v1::DeviceClass> classes;
  std::vector<api::resource_v1::ResourceSlice> slices;
  allocator::AllocatedState allocated;
  std::vector<Supply> supply;  // at least one
};

std::vector<api::core_v1::Node> RandomNodes(int count, Chance& chance);
/// Classes "gpu", "nic", "any", "ready" and "a100", some with configuration.
std::vector<api::resource_v1::DeviceClass> RandomClasses(const Family& family, Chance& chance);

/// A slice name with a random suffix, as in real clusters, so that its position in the order is
/// random.
std::string RandomSliceName(Chance& chance);

/// A whole cluster of Layout::kVaried.
Cluster RandomCluster(const Family& family, const ProblemOptions& options, Chance& chance);

}  // namespace dray::judges
