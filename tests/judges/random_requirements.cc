// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_requirements.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/resource_quota.h"
#include "api/scheduling_v1.h"
#include "api/storage_v1/storage_class.h"
#include "api/validation/devices/claim.h"
#include "api/value/quantity.h"
#include "tests/judges/random_pods.h"

namespace dray::judges {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

constexpr const char* kHost = "kubernetes.io/hostname";
constexpr const char* kOfClass = "example.com/gpu";   // a device class may serve it
constexpr const char* kOfNodes = "example.com/fpga";  // only nodes have it

api::Quantity Number(uint64_t number) {
  return api::Quantity::FromInt(static_cast<int64_t>(number));
}

core::PodAffinity& AffinityOf(core::Pod& pod) {
  core::Affinity& all =
      pod.spec.affinity.has_value() ? *pod.spec.affinity : pod.spec.affinity.emplace();
  return all.pod_affinity.has_value() ? *all.pod_affinity : all.pod_affinity.emplace();
}

core::PodAntiAffinity& AntiAffinityOf(core::Pod& pod) {
  core::Affinity& all =
      pod.spec.affinity.has_value() ? *pod.spec.affinity : pod.spec.affinity.emplace();
  return all.pod_anti_affinity.has_value() ? *all.pod_anti_affinity
                                           : all.pod_anti_affinity.emplace();
}

api::Object PriorityClassOf(std::string_view name, int32_t value, bool preempts) {
  api::scheduling_v1::PriorityClass one;
  one.metadata.name = name;
  one.value = value;
  if (!preempts) one.preemption_policy = "Never";
  return api::Object::Of(std::move(one));
}

api::Object NamespaceOf(std::string_view name, bool admin_access) {
  core::Namespace one;
  one.metadata.name = name;
  if (admin_access) one.metadata.labels[std::string(api::validation::kAdminAccessLabel)] = "true";
  return api::Object::Of(std::move(one));
}

}  // namespace

RandomRequirements::RandomRequirements(uint64_t seed) : chance_(seed) {
  traits_ = {.priorities = chance_.Percent(40),
             .quotas = chance_.Percent(20),
             .limits = chance_.Percent(15),
             .groups = chance_.Percent(25),
             .templates = chance_.Percent(25),
             .extended = chance_.Percent(25),
             .node_allocatable = chance_.Percent(15),
             .volumes = chance_.Percent(60)};
}

std::string RandomRequirements::Key() {
  return Below(2) == 0 ? "zone" : kHost;
}

core::Node RandomRequirements::On(core::Node node) {
  node.metadata.labels["zone"] = Below(2) == 0 ? "east" : "west";
  node.metadata.labels[kHost] = node.metadata.name;
  const bool is_small = Below(2) == 0;
  node.status.allocatable["cpu"] = Number(is_small ? 4 : 64);
  node.status.allocatable["memory"] = api::Quantity::Parse("64Gi").value();
  node.status.allocatable["pods"] = Number(is_small ? 2 : 110);
  if (traits_.extended && Below(3) == 0) node.status.allocatable[kOfNodes] = Number(1 + Below(2));
  if (traits_.extended && Below(8) == 0) node.status.allocatable[kOfClass] = Number(Below(3));
  node.status.capacity = node.status.allocatable;
  if (Below(8) == 0)
    node.spec.taints.push_back({.key = "busy", .value = "", .effect = "NoSchedule"});
  if (Below(12) == 0)
    node.spec.taints.push_back({.key = "old", .value = "", .effect = "PreferNoSchedule"});
  if (Below(16) == 0) node.spec.unschedulable = true;
  return node;
}

v1::DeviceClass RandomRequirements::On(v1::DeviceClass device_class) {
  if (traits_.extended && device_class.metadata.name == "gpu")
    device_class.spec.extended_resource_name = kOfClass;
  return device_class;
}

v1::ResourceSlice RandomRequirements::On(v1::ResourceSlice slice) {
  // Only for devices of a single node, because they take the resources of that node.
  if (!traits_.node_allocatable || !slice.spec.node_name.has_value()) return slice;
  for (v1::Device& device : slice.spec.devices) {
    if (Below(2) == 0) continue;
    v1::NodeAllocatableResource taken;
    if (Below(3) > 0) taken.mapping.emplace().device_multiplier = Number(1 + Below(2));
    if (!taken.mapping.has_value() || Below(3) == 0)
      taken.overhead.emplace().per_pod = Number(1 + Below(2));
    device.node_allocatable_resources.insert_or_assign("cpu", std::move(taken));
  }
  return slice;
}

void RandomRequirements::On(core::Pod& pod) {
  pod.metadata.labels["app"] = App();
  AddRulesAboutPods(pod);
  AddContainer(pod);
  if (Below(5) == 0) pod.spec.tolerations.push_back({.key = "busy", .operator_ = "Exists"});
  if (Below(10) == 0) pod.spec.node_selector["zone"] = Below(2) == 0 ? "east" : "west";
  if (Below(10) == 0) pod.spec.scheduling_gates.push_back({.name = "example.com/wait"});
  if (Below(8) == 0) {
    auto& volume = pod.spec.volumes.emplace_back();
    volume.name = "data";
    volume.volume_source.persistent_volume_claim.emplace().claim_name = "data";
  }
}

void RandomRequirements::AddRulesAboutPods(core::Pod& pod) {
  if (Below(4) == 0) {
    AntiAffinityOf(pod).required_during_scheduling_ignored_during_execution.push_back(Term());
  }
  if (Below(6) == 0)
    AffinityOf(pod).required_during_scheduling_ignored_during_execution.push_back(Term());
  if (Below(6) == 0) {
    AntiAffinityOf(pod).preferred_during_scheduling_ignored_during_execution.push_back(
        {.weight = static_cast<int32_t>(1 + Below(100)), .pod_affinity_term = Term()});
  }
  if (Below(4) == 0) pod.spec.topology_spread_constraints.push_back(Spread());
}

void RandomRequirements::AddContainer(core::Pod& pod) {
  core::Container& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example/app:1";
  if (Below(5) == 0) {
    container.ports.push_back({.host_port = 80, .container_port = 80, .protocol = "TCP"});
  }
  const auto want = [&](const std::string& name, uint64_t count) {
    container.resources.requests[name] = Number(count);
    if (name != "cpu") container.resources.limits[name] = Number(count);
  };
  if (Below(traits_.priorities ? 2 : 4) == 0) want("cpu", 1 + Below(3));
  if (traits_.extended && Below(3) == 0) want(kOfClass, 1 + Below(2));
  if (traits_.extended && Below(6) == 0) want(kOfNodes, 1);
  if (traits_.limits && Below(3) == 0) container.resources.limits["cpu"] = Number(4 + Below(4));
}

std::string RandomRequirements::PriorityClassName() {
  if (!traits_.priorities) return {};
  constexpr std::array<std::string_view, 6> kNames = {
      "", "low", "high", "high", "patient", "system-node-critical"};
  return std::string(chance_.Pick(kNames));
}

core::PodAffinityTerm RandomRequirements::Term() {
  core::PodAffinityTerm term;
  term.label_selector.emplace().match_labels["app"] = App();
  term.topology_key = Key();
  return term;
}

core::TopologySpreadConstraint RandomRequirements::Spread() {
  core::TopologySpreadConstraint spread;
  spread.max_skew = 1;
  spread.topology_key = Key();
  spread.when_unsatisfiable = Below(2) == 0 ? "DoNotSchedule" : "ScheduleAnyway";
  spread.label_selector.emplace().match_labels["app"] = App();
  return spread;
}

std::vector<api::Object> RandomRequirements::Surroundings(bool admin_access) {
  std::vector<api::Object> objects;
  objects.push_back(NamespaceOf(kPodsNamespace, admin_access));
  objects.push_back(NamespaceOf("others", false));
  if (traits_.priorities) {
    objects.push_back(PriorityClassOf("low", -10, true));
    objects.push_back(PriorityClassOf("high", 1000, true));
    objects.push_back(PriorityClassOf("patient", 2000, false));
  }
  if (traits_.quotas) objects.push_back(Quota());
  if (traits_.limits) objects.push_back(Range());
  if (traits_.volumes) AddVolumes(objects);
  return objects;
}

/// Groups may not have the system's priority classes.
std::string RandomRequirements::PriorityClassNameOfGroup() {
  std::string name = PriorityClassName();
  return name.starts_with("system-") ? "high" : name;
}

api::Object RandomRequirements::Quota() {
  core::ResourceQuota quota;
  quota.metadata.name = "share";
  quota.metadata.namespace_ = kPodsNamespace;
  auto& hard = quota.spec.hard;
  if (Below(2) == 0) hard["pods"] = Number(1 + Below(5));
  if (Below(3) == 0) hard["requests.cpu"] = Number(2 + Below(6));
  if (Below(3) == 0) hard[std::string("requests.") + kOfClass] = Number(1 + Below(3));
  if (Below(3) == 0) hard["count/resourceclaims.resource.k8s.io"] = Number(4 + Below(8));
  if (hard.empty() || Below(3) == 0)
    hard["gpu.deviceclass.resource.k8s.io/devices"] = Number(4 + Below(10));
  // As the quota controller counts in an empty namespace.
  quota.status.hard = hard;
  for (const auto& [name, amount] : hard) quota.status.used[name] = Number(0);
  return api::Object::Of(std::move(quota));
}

api::Object RandomRequirements::Range() {
  core::LimitRange range;
  range.metadata.name = "usual";
  range.metadata.namespace_ = kPodsNamespace;
  core::LimitRangeItem& item = range.spec.limits.emplace_back();
  item.type = "Container";
  item.default_request["cpu"] = Number(2);
  if (Below(2) == 0) item.max["cpu"] = Number(5);
  if (Below(3) == 0) item.min["cpu"] = Number(1 + Below(2));
  return api::Object::Of(std::move(range));
}

/// Adds the volume claim that some pods name. It is unbound, with immediate or delayed binding.
void RandomRequirements::AddVolumes(std::vector<api::Object>& objects) {
  api::storage_v1::StorageClass late;
  late.metadata.name = "late";
  late.provisioner = "example.com/disks";
  late.volume_binding_mode = "WaitForFirstConsumer";
  objects.push_back(api::Object::Of(late));
  late.metadata.name = "at-once";
  late.volume_binding_mode = "Immediate";
  objects.push_back(api::Object::Of(std::move(late)));
  core::PersistentVolumeClaim claim;
  claim.metadata.name = "data";
  claim.metadata.namespace_ = kPodsNamespace;
  claim.spec.storage_class_name = Below(2) == 0 ? "late" : "at-once";
  claim.spec.access_modes = {"ReadWriteOnce"};
  claim.spec.resources.requests["storage"] = api::Quantity::Parse("1Gi").value();
  objects.push_back(api::Object::Of(std::move(claim)));
}

}  // namespace dray::judges
