// SPDX-License-Identifier: Apache-2.0
// Two GPUs of a node, a claim that asks for both, and what it gets.
#include <iostream>
#include <memory>
#include <variant>
#include <vector>

#include <dray/allocator.h>
#include <dray/api/json.h>
#include <dray/selector.h>

namespace v1 = dray::api::resource_v1;
using dray::allocator::Allocation;
using dray::allocator::Attempt;
using dray::allocator::Selector;
using dray::allocator::Snapshot;

constexpr auto kSlice = R"({"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceSlice",
  "metadata": {"name": "worker-0-gpus"},
  "spec": {"driver": "gpu.example.com", "nodeName": "worker-0",
           "pool": {"name": "worker-0", "generation": 1, "resourceSliceCount": 1},
           "devices": [{"name": "gpu-0", "basic": {"attributes": {"index": {"int": 0}}}},
                       {"name": "gpu-1", "basic": {"attributes": {"index": {"int": 1}}}}]}})";

constexpr auto kClaim = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: pair, namespace: default}
spec:
  devices:
    requests:
    - name: gpus
      exactly: {deviceClassName: gpu, count: 2}
)";

int main() {
  const auto slice = dray::api::FromJson<v1::ResourceSlice>(kSlice);
  const auto claim = dray::api::FromYaml<v1::ResourceClaim>(kClaim);
  const auto second = Selector::Compile(R"(device.attributes["gpu.example.com"].index == 1)");
  if (!slice || !claim || !second) return 1;
  for (const v1::Device& device : slice->spec.devices) {
    const auto matches = second->Matches(slice->spec.driver, device);
    std::cout << device.name << (matches && *matches ? " is the second\n" : " is another\n");
  }

  v1::DeviceClass gpu;
  gpu.metadata.name = "gpu";
  const Snapshot cluster({},
                         {std::make_shared<v1::ResourceSlice>(*slice)},
                         {std::make_shared<v1::DeviceClass>(gpu)},
                         {});
  const std::vector<dray::Frozen<v1::ResourceClaim>> claims{
      std::make_shared<v1::ResourceClaim>(*claim)};
  dray::api::core_v1::Node node;
  node.metadata.name = "worker-0";
  const auto outcome = Attempt(cluster, claims).Allocate(node);
  const auto* found = outcome ? std::get_if<Allocation>(&*outcome) : nullptr;
  if (found == nullptr) return 1;
  for (const auto& device : found->results[0].devices.results) {
    std::cout << device.request << ": " << device.driver << "/" << device.pool << "/"
              << device.device << "\n";
  }
}
