// SPDX-License-Identifier: Apache-2.0
// Two GPUs of a node, a claim that asks for both, and what it gets.
#include <memory>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "allocator/attempt.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"

namespace v1 = dray::api::resource_v1;
namespace allocator = dray::allocator;

int main() {
  auto slice = std::make_shared<v1::ResourceSlice>();
  slice->metadata.name = "worker-0-gpus";
  slice->spec.driver = "gpu.example.com";
  slice->spec.pool = {.name = "worker-0", .generation = 1, .resource_slice_count = 1};
  slice->spec.node_name = "worker-0";
  slice->spec.devices = {{.name = "gpu-0"}, {.name = "gpu-1"}};
  auto gpu = std::make_shared<v1::DeviceClass>();
  gpu->metadata.name = "gpu";
  auto claim = std::make_shared<v1::ResourceClaim>();
  claim->metadata.name = "pair";
  v1::DeviceRequest& request = claim->spec.devices.requests.emplace_back();
  request.name = "gpus";
  request.exactly = {.device_class_name = "gpu", .allocation_mode = "ExactCount", .count = 2};

  const allocator::Snapshot snapshot({}, allocator::Inventory::Build({slice}, {gpu}), {});
  const std::vector<dray::Frozen<v1::ResourceClaim>> claims{claim};
  dray::api::core_v1::Node node;
  node.metadata.name = "worker-0";
  const auto outcome = allocator::Attempt(snapshot, claims).Allocate(node);
  const auto* found = outcome ? std::get_if<allocator::Allocation>(&*outcome) : nullptr;
  if (found == nullptr) return 1;
  for (const auto& device : found->results[0].devices.results) {
    fmt::print("{}: {}/{}/{}\n", device.request, device.driver, device.pool, device.device);
  }
}
