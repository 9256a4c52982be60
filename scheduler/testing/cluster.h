// SPDX-License-Identifier: Apache-2.0
// A cluster in memory for tests of the scheduler: nodes with a number of devices each, and the
// actions of users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/claims/extended_claim.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"
#include "dray/selector.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler::testing {

class Cluster {
 public:
  explicit Cluster(uint64_t seed = 1) : world(seed) {}

  /// Adds a node. `must_be_attached`: its devices have the binding condition "attached" and the
  /// failure condition "failed".
  void AddNode(const std::string& name, int devices, bool must_be_attached = false) {
    api::core_v1::Node node;
    node.metadata.name = name;
    node.metadata.labels["kubernetes.io/hostname"] = name;
    Must(client.Create(api::Object::Of(std::move(node))));
    api::resource_v1::ResourceSlice slice;
    slice.metadata.name = name + "-gpus";
    slice.spec.driver = "gpu.acme.example";
    slice.spec.node_name = name;
    slice.spec.pool = {.name = name, .generation = 1, .resource_slice_count = 1};
    for (int i = 0; i < devices; ++i)
      slice.spec.devices.push_back({.name = fmt::format("gpu-{}", i)});
    for (api::resource_v1::Device& device : slice.spec.devices) {
      if (!must_be_attached) break;
      device.binding_conditions = {"attached"};
      device.binding_failure_conditions = {"failed"};
    }
    Must(client.Create(api::Object::Of(std::move(slice))));
  }
  /// Adds devices to the node, with their numbers as an attribute.
  void AddIndexedDevices(const std::string& node, int devices) {
    api::resource_v1::ResourceSlice slice;
    slice.metadata.name = node + "-indexed";
    slice.spec.driver = "gpu.acme.example";
    slice.spec.node_name = node;
    slice.spec.pool = {.name = node + "-indexed", .generation = 1, .resource_slice_count = 1};
    for (int i = 0; i < devices; ++i) {
      api::resource_v1::Device device{.name = fmt::format("gpu-{}", i)};
      device.attributes["index"].int_ = i;
      slice.spec.devices.push_back(std::move(device));
    }
    Must(client.Create(api::Object::Of(std::move(slice))));
  }
  /// Acts as a driver: adds the condition to allocated devices that have no status yet.
  void ReportDevices(const std::string& condition) {
    const auto claims = client.List(api::Reflected<api::resource_v1::ResourceClaim>::kKind, {});
    for (const api::Object& object : claims->items) {
      api::Object copy = object.Clone();
      auto& status = copy.Mutable<api::resource_v1::ResourceClaim>().status;
      if (!status.allocation || !status.devices.empty()) continue;
      for (const auto& result : status.allocation->devices.results) {
        if (result.binding_conditions.empty()) continue;
        api::resource_v1::AllocatedDeviceStatus reported{
            .driver = result.driver, .pool = result.pool, .device = result.device};
        reported.conditions.push_back({.type = condition, .status = "True", .reason = "Told"});
        status.devices.push_back(std::move(reported));
      }
      if (!status.devices.empty()) Must(client.Update(copy, "status"));
    }
  }
  void AddClass() {
    api::resource_v1::DeviceClass gpu;
    gpu.metadata.name = "gpu";
    Must(client.Create(api::Object::Of(std::move(gpu))));
  }
  void AddClaim(const std::string& name, int64_t count = 1, const std::string& class_name = "gpu") {
    api::resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    api::resource_v1::DeviceRequest request{.name = "gpu"};
    request.exactly.emplace();
    request.exactly->device_class_name = class_name;
    request.exactly->allocation_mode = "ExactCount";
    request.exactly->count = count;
    claim.spec.devices.requests.push_back(std::move(request));
    Must(client.Create(api::Object::Of(std::move(claim))));
  }
  /// Gives the node `cpu` CPUs and room for 110 pods.
  void SetProcessors(const std::string& node, int64_t cpu) {
    api::Object copy = client.Get({&api::Reflected<api::core_v1::Node>::kKind, "", node})->Clone();
    auto& allocatable = copy.Mutable<api::core_v1::Node>().status.allocatable;
    allocatable["cpu"] = api::Quantity::FromInt(cpu);
    allocatable["pods"] = api::Quantity::FromInt(110);
    Must(client.Update(copy, "status"));
  }
  /// Adds a pod with that priority and CPU request, modified by `change`.
  void AddPodWithProcessors(const std::string& name,
                            int32_t priority,
                            int64_t cpu,
                            const std::function<void(api::core_v1::Pod&)>& change) {
    api::core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.priority = priority;
    api::core_v1::Container container;
    container.name = "main";
    container.resources.requests["cpu"] = api::Quantity::FromInt(cpu);
    pod.spec.containers.push_back(std::move(container));
    change(pod);
    Must(client.Create(api::Object::Of(std::move(pod))));
  }
  void AddPod(const std::string& name, const std::vector<std::string>& claims) {
    api::core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    for (const std::string& claim : claims) {
      pod.spec.resource_claims.push_back({.name = "use-" + claim, .resource_claim_name = claim});
    }
    Must(client.Create(api::Object::Of(std::move(pod))));
  }
  /// A group that shares these claims; a gang if `min_count` is not 0.
  void AddGroup(const std::string& name,
                int min_count,
                const std::vector<std::string>& claims = {}) {
    PodGroup group;
    group.metadata.namespace_ = "lab";
    group.metadata.name = name;
    if (min_count > 0) group.spec.scheduling_policy.gang.emplace().min_count = min_count;
    for (const std::string& claim : claims) {
      group.spec.resource_claims.push_back({.name = "use-" + claim, .resource_claim_name = claim});
    }
    Must(client.Create(api::Object::Of(std::move(group))));
  }
  void AddMember(const std::string& name,
                 const std::string& group,
                 const std::vector<std::string>& claims) {
    api::core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    pod.spec.scheduling_group.emplace().pod_group_name = group;
    for (const std::string& claim : claims) {
      pod.spec.resource_claims.push_back({.name = "use-" + claim, .resource_claim_name = claim});
    }
    Must(client.Create(api::Object::Of(std::move(pod))));
  }
  PodGroup Group(const std::string& name) {
    return client.Get({&api::Reflected<PodGroup>::kKind, "lab", name})->As<PodGroup>();
  }
  std::string GroupCondition(const std::string& name) {
    const auto& conditions = Group(name).status.conditions;
    if (conditions.empty()) return {};
    return fmt::format(
        "{} {}: {}", conditions[0].status, conditions[0].reason, conditions[0].message);
  }
  /// Adds a pod that requests a device of the class as an extended resource.
  void AddExtendedPod(const std::string& name) {
    api::core_v1::Pod pod;
    pod.metadata.namespace_ = "lab";
    pod.metadata.name = name;
    api::core_v1::Container container;
    container.name = "main";
    container.resources.requests["deviceclass.resource.kubernetes.io/gpu"] =
        api::Quantity::FromInt(1);
    pod.spec.containers.push_back(std::move(container));
    Must(client.Create(api::Object::Of(std::move(pod))));
  }
  api::core_v1::Pod Pod(const std::string& name) {
    return client.Get({&api::Reflected<api::core_v1::Pod>::kKind, "lab", name})
        ->As<api::core_v1::Pod>();
  }
  api::resource_v1::ResourceClaim Claim(const std::string& name) {
    return client.Get({&api::Reflected<api::resource_v1::ResourceClaim>::kKind, "lab", name})
        ->As<api::resource_v1::ResourceClaim>();
  }
  std::string Condition(const std::string& name) {
    for (const auto& condition : Pod(name).status.conditions) {
      if (condition.type == "PodScheduled") {
        return fmt::format("{} {}: {}", condition.status, condition.reason, condition.message);
      }
    }
    return {};
  }
  /// Removes the consumer and the allocation, as the claim controller does.
  void Release(const std::string& claim) {
    api::Object copy =
        client.Get({&api::Reflected<api::resource_v1::ResourceClaim>::kKind, "lab", claim})
            ->Clone();
    copy.Mutable<api::resource_v1::ResourceClaim>().status = {};
    Must(client.Update(copy, "status"));
  }
  /// Deletes the extended claims of a deleted pod, as the claim controller does.
  void DeleteExtendedClaims(const std::string& pod_uid) {
    const auto claims = client.List(api::Reflected<api::resource_v1::ResourceClaim>::kKind, {});
    for (const api::Object& claim : claims->items) {
      if (api::claims::PodOfExtendedClaim(claim.metadata()).uid != pod_uid) continue;
      api::Object copy = claim.Clone();
      copy.mutable_metadata().finalizers.clear();
      Must(client.Update(copy, {}));
      ASSERT_TRUE(client.Delete(client::RefOf(claim), {}));
    }
  }
  void DeleteClaim(const std::string& name) {
    ASSERT_TRUE(
        client.Delete({&api::Reflected<api::resource_v1::ResourceClaim>::kKind, "lab", name}, {}));
  }
  void DeletePod(const std::string& name) {
    ASSERT_TRUE(client.Delete({&api::Reflected<api::core_v1::Pod>::kKind, "lab", name},
                              {.grace_period_seconds = 0}));
  }
  void Settle(Scheduler& scheduler, int seconds = 0) {
    for (int i = 0; i <= seconds; ++i) {
      for (int step = 0; step < 20; ++step) scheduler.Step();
      if (i < seconds) world.clock().Advance(std::chrono::seconds(1));
    }
  }
  static void Must(const Result<api::Object>& done) {
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }
  Scheduler::Options Options() { return {.selectors = allocator::SelectorCacheFor({}, 100)}; }

  SimulatedWorld world;
  client::testing::MemoryClient client;
};

}  // namespace dray::scheduler::testing
