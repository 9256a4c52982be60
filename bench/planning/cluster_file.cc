// SPDX-License-Identifier: Apache-2.0
#include "bench/planning/cluster_file.h"

#include <fmt/format.h>

#include "api/codec/json.h"

namespace dray::bench {
namespace {

std::string Node(size_t node) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"annotations":{{"node.alpha.kubernetes.io/ttl":"0",)"
      R"("volumes.kubernetes.io/controller-managed-attach-detach":"true"}},"creationTimestamp":"2026-11-01T08:00:00Z",)"
      R"("labels":{{"beta.kubernetes.io/arch":"amd64","kubernetes.io/arch":"amd64","kubernetes.io/hostname":"node-{0:04}",)"
      R"("kubernetes.io/os":"linux","node.kubernetes.io/instance-type":"gpu-8","topology.kubernetes.io/region":"eu-1",)"
      R"("topology.kubernetes.io/zone":"eu-1-{1}"}},"name":"node-{0:04}","resourceVersion":"{2}",)"
      R"("uid":"6f1a0c1e-0000-4000-8000-{0:012}"}},"spec":{{"podCIDR":"10.{3}.{4}.0/24","providerID":"cloud:///eu-1/i-{0:08}"}},)"
      R"("status":{{"addresses":[{{"address":"10.0.{3}.{4}","type":"InternalIP"}},{{"address":"node-{0:04}","type":"Hostname"}}],)"
      R"("allocatable":{{"cpu":"94","ephemeral-storage":"1800Gi","hugepages-1Gi":"0","hugepages-2Mi":"0","memory":"1000Gi","pods":"110"}},)"
      R"("capacity":{{"cpu":"96","ephemeral-storage":"1900Gi","hugepages-1Gi":"0","hugepages-2Mi":"0","memory":"1024Gi","pods":"110"}},)"
      R"("conditions":[{{"lastHeartbeatTime":"2026-11-20T08:00:00Z","lastTransitionTime":"2026-11-01T08:00:00Z",)"
      R"("message":"kubelet has sufficient memory available","reason":"KubeletHasSufficientMemory","status":"False","type":"MemoryPressure"}},)"
      R"({{"lastHeartbeatTime":"2026-11-20T08:00:00Z","lastTransitionTime":"2026-11-01T08:00:00Z",)"
      R"("message":"kubelet is posting ready status","reason":"KubeletReady","status":"True","type":"Ready"}}],)"
      R"("nodeInfo":{{"architecture":"amd64","bootID":"b","containerRuntimeVersion":"containerd://2.1.0","kernelVersion":"6.8.0",)"
      R"("kubeProxyVersion":"","kubeletVersion":"v1.37.0","machineID":"m{0}","operatingSystem":"linux","osImage":"Linux","systemUUID":"s{0}"}}}}}})",
      node,
      static_cast<char>('a' + node % 3),
      100000 + node,
      node / 256,
      node % 256);
}

std::string Device(size_t node, size_t device) {
  return fmt::format(
      R"({{"attributes":{{"architecture":{{"string":"Ampere"}},"brand":{{"string":"Nvidia"}},)"
      R"("cudaComputeCapability":{{"version":"8.0.0"}},"driverVersion":{{"version":"550.54.15"}},)"
      R"("productName":{{"string":"NVIDIA A100-SXM4-40GB"}},"resource.kubernetes.io/pcieRoot":{{"string":"pci0000:{2:02x}"}},)"
      R"("type":{{"string":"gpu"}},"uuid":{{"string":"GPU-{0:08x}-{1:04x}-4b7c-9d1e-1c2d3e4f5a6b"}}}},)"
      R"("capacity":{{"memory":{{"value":"40Gi"}}}},"name":"gpu-{1}"}})",
      node,
      device,
      device / 2);
}

std::string Slice(size_t node) {
  std::string devices;
  for (size_t device = 0; device < kPlannedDevices; ++device)
    devices += (device == 0 ? "" : ",") + Device(node, device);
  return fmt::format(
      R"({{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{{"creationTimestamp":"2026-11-01T08:10:00Z",)"
      R"("generateName":"node-{0:04}-gpu.nvidia.com-","generation":1,"name":"node-{0:04}-gpu.nvidia.com-x{0:04}",)"
      R"("ownerReferences":[{{"apiVersion":"v1","controller":true,"kind":"Node","name":"node-{0:04}","uid":"6f1a0c1e-0000-4000-8000-{0:012}"}}],)"
      R"("resourceVersion":"{1}","uid":"6f1a0c1e-0001-4000-8000-{0:012}"}},"spec":{{"devices":[{2}],"driver":"gpu.nvidia.com",)"
      R"("nodeName":"node-{0:04}","pool":{{"generation":1,"name":"node-{0:04}","resourceSliceCount":1}}}}}})",
      node,
      200000 + node,
      devices);
}

std::string Claim(size_t node, size_t device) {
  const size_t number = node * kPlannedTaken + device;
  return fmt::format(
      R"({{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{{"annotations":{{"resource.kubernetes.io/pod-claim-name":"gpu"}},)"
      R"("creationTimestamp":"2026-11-10T08:00:00Z","finalizers":["resource.kubernetes.io/delete-protection"],"generateName":"job-{0:05}-gpu-",)"
      R"("name":"job-{0:05}-gpu-abcde","namespace":"team-{3}","ownerReferences":[{{"apiVersion":"v1","blockOwnerDeletion":true,"controller":true,)"
      R"("kind":"Pod","name":"job-{0:05}","uid":"6f1a0c1e-0003-4000-8000-{0:012}"}}],"resourceVersion":"{4}","uid":"6f1a0c1e-0002-4000-8000-{0:012}"}},)"
      R"("spec":{{"devices":{{"requests":[{{"exactly":{{"allocationMode":"ExactCount","count":1,"deviceClassName":"gpu.nvidia.com"}},"name":"gpu"}}]}}}},)"
      R"("status":{{"allocation":{{"devices":{{"results":[{{"device":"gpu-{2}","driver":"gpu.nvidia.com","pool":"node-{1:04}","request":"gpu"}}]}},)"
      R"("nodeSelector":{{"nodeSelectorTerms":[{{"matchFields":[{{"key":"metadata.name","operator":"In","values":["node-{1:04}"]}}]}}]}}}},)"
      R"("reservedFor":[{{"name":"job-{0:05}","resource":"pods","uid":"6f1a0c1e-0003-4000-8000-{0:012}"}}]}}}})",
      number,
      node,
      device,
      number % 50,
      300000 + number);
}

}  // namespace

std::string ClusterFile() {
  std::string json =
      R"({"apiVersion":"v1","items":[{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu.nvidia.com"},)"
      R"("spec":{"selectors":[{"cel":{"expression":"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]}})";
  for (size_t node = 0; node < kPlannedNodes; ++node) json += "," + Node(node);
  for (size_t node = 0; node < kPlannedNodes; ++node) json += "," + Slice(node);
  for (size_t node = 0; node < kPlannedNodes; ++node) {
    for (size_t device = 0; device < kPlannedTaken; ++device) json += "," + Claim(node, device);
  }
  json += R"(],"kind":"List","metadata":{"resourceVersion":""}})";
  return api::PrettyJson(json);
}

std::string WorkFile(size_t count) {
  return fmt::format(R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: gpus, namespace: research}}
spec:
  spec:
    devices:
      requests:
      - name: gpus
        exactly:
          deviceClassName: gpu.nvidia.com
          count: {}
          selectors:
          - cel:
              expression: device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0
---
apiVersion: v1
kind: Pod
metadata: {{name: trainer, namespace: research}}
spec:
  resourceClaims: [{{name: gpus, resourceClaimTemplateName: gpus}}]
  containers: [{{name: main, image: trainer, resources: {{requests: {{cpu: "1"}}}}}}]
)",
                     count);
}

}  // namespace dray::bench
