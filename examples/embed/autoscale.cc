// SPDX-License-Identifier: Apache-2.0
// An autoscaler's question: how many nodes like worker-0 do the waiting pods need? The snapshot of
// the cluster is forked, so nothing has to be undone.
#include <iostream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <dray/allocator.h>
#include <dray/api/json.h>
#include <dray/claims.h>
#include <dray/node_copy.h>
#include <dray/pod_claims.h>

namespace v1 = dray::api::resource_v1;
namespace core = dray::api::core_v1;
using namespace dray::allocator;

// A node with two GPUs; a claim in the cluster holds the first.
constexpr auto kNode = R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-0"}})";
constexpr auto kSlice = R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
  "metadata": {"name": "worker-0-gpus"},
  "spec": {"driver": "gpu.example.com", "nodeName": "worker-0",
           "pool": {"name": "worker-0", "generation": 1, "resourceSliceCount": 1},
           "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}]}})";
constexpr auto kClass = R"({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
  "metadata": {"name": "gpu"}, "spec": {}})";
constexpr auto kHeld = R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
  "metadata": {"name": "held", "namespace": "default"},
  "spec": {"devices": {"requests": [{"name": "gpus", "exactly": {"deviceClassName": "gpu"}}]}},
  "status": {"allocation": {"devices": {"results": [
    {"request": "gpus", "driver": "gpu.example.com", "pool": "worker-0", "device": "gpu-0"}]}}}})";

// The template of the waiting pods asks for so many GPUs.
std::string Template(const std::string& name, int count) {
  return R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
    "metadata": {"namespace": "default", "name": ")" +
         name + R"("}, "spec": {"spec": {"devices":
    {"requests": [{"name": "gpus", "exactly": {"deviceClassName": "gpu", "count": )" +
         std::to_string(count) + "}}]}}}}";
}

core::Pod PodOf(const std::string& name, const std::string& claim_template) {
  core::Pod pod;
  pod.metadata.name = name;
  pod.metadata.namespace_ = "default";
  core::PodResourceClaim& entry = pod.spec.resource_claims.emplace_back();
  entry.name = "gpus";
  entry.resource_claim_template_name = claim_template;
  return pod;
}

template <class T>
dray::Frozen<T> Read(const std::string& json) {
  return std::make_shared<const T>(dray::api::FromJson<T>(json).value());
}

// Why a node has no devices for the pod.
std::string Why(const Unsatisfiable& none) {
  for (const RequestShortage& request : none.requests) {
    switch (request.lack()) {
      case Lack::kNoneMatches: return "has no such device";
      case Lack::kTooFewMatch: return "has too few such devices";
      case Lack::kTaken:
        return "lacks " + std::to_string(request.missing) + ", as others are taken";
      case Lack::kTogether: break;
    }
  }
  return "has devices for each request, but not for all together";
}

// Gives the node's devices to the claims, in the fork; says why not.
bool Place(const PodClaims& claims, const core::Node& node, Snapshot& fork) {
  const auto outcome = Attempt(fork, claims.to_allocate).Allocate(node);
  if (!outcome) {
    std::cout << " " << outcome.error().message << ";";
  } else if (const auto* none = std::get_if<Unsatisfiable>(&*outcome)) {
    std::cout << " " << node.metadata.name << " " << Why(*none) << ";";
  } else if (const auto* found = std::get_if<Allocation>(&*outcome)) {
    std::cout << " runs on " << node.metadata.name;
    fork = fork.With(*found);
    return true;
  }
  return false;
}

int main() {
  const std::vector held{Read<v1::ResourceClaim>(kHeld)};
  const std::vector templates{Read<v1::ResourceClaimTemplate>(Template("one", 1)),
                              Read<v1::ResourceClaimTemplate>(Template("two", 2)),
                              Read<v1::ResourceClaimTemplate>(Template("three", 3))};
  const Snapshot cluster(
      {}, {Read<v1::ResourceSlice>(kSlice)}, {Read<v1::DeviceClass>(kClass)}, StateOf(held));
  std::vector<core::Node> nodes{*Read<core::Node>(kNode)};

  Snapshot fork = cluster;
  for (const core::Pod& pod :
       {PodOf("a", "one"), PodOf("b", "two"), PodOf("c", "one"), PodOf("d", "three")}) {
    const auto claims = ClaimsOf(pod, {.claims = {}, .templates = templates});
    if (!claims) return 1;
    std::cout << pod.metadata.name << ":";
    bool runs = false;
    for (size_t i = 0; i < nodes.size() && !runs; ++i) runs = Place(*claims, nodes[i], fork);
    if (!runs) {  // one more node, which stays if it helps
      const std::string name = "worker-" + std::to_string(nodes.size());
      const NodeCopy more = NodeLike(nodes[0], cluster.SlicesOfNode("worker-0"), name);
      Snapshot larger =
          fork.With(std::vector<ClusterChange>(more.slices.begin(), more.slices.end()));
      if (Place(*claims, more.node, larger)) {
        fork = larger;
        nodes.push_back(more.node);
      }
    }
    std::cout << "\n";
  }
  std::cout << nodes.size() - 1 << " more nodes; " << cluster.State().devices.size()
            << " GPU is taken, " << fork.State().devices.size() << " would be\n";
}
