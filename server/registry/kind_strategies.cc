// SPDX-License-Identifier: Apache-2.0
#include "server/registry/kind_strategies.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"

namespace dray::server::registry {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

// ------------------------------------------------------------------------------------- namespaces

// Selectors find a namespace by its name through this label, so it is always there.
constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kNamespaceFinalizer = "kubernetes";

void LabelNamespace(core_v1::Namespace& space) {
  if (space.metadata.name.empty()) return;
  space.metadata.labels.insert_or_assign(std::string(kNameLabel), space.metadata.name);
}

void CreateNamespace(api::Object& object) {
  auto& space = object.Mutable<core_v1::Namespace>();
  LabelNamespace(space);
  space.status.phase = "Active";
  std::vector<std::string>& finalizers = space.spec.finalizers;
  if (std::ranges::find(finalizers, kNamespaceFinalizer) == finalizers.end()) {
    finalizers.emplace_back(kNamespaceFinalizer);
  }
}

void UpdateNamespace(api::Object& object, const api::Object& old, WallTime /*now*/) {
  auto& space = object.Mutable<core_v1::Namespace>();
  space.spec.finalizers = old.As<core_v1::Namespace>().spec.finalizers;
  LabelNamespace(space);
}

bool NamespaceHasFinalizers(const api::Object& object) {
  return !object.As<core_v1::Namespace>().spec.finalizers.empty();
}

void TerminateNamespace(api::Object& object) {
  object.Mutable<core_v1::Namespace>().status.phase = "Terminating";
}

// ------------------------------------------------------------------------------------------- pods

constexpr int64_t kPodGraceSeconds = 30;  // of a pod that does not say

// Only these two decide a pod's class.
constexpr std::array<std::string_view, 2> kQosResources = {"cpu", "memory"};

enum class Qos : uint8_t { kBestEffort, kBurstable, kGuaranteed };

Qos QosOf(const core_v1::ResourceRequirements& resources) {
  bool all = true;
  bool any = false;
  for (const std::string_view name : kQosResources) {
    const auto limit = resources.limits.find(name);
    const auto request = resources.requests.find(name);
    const bool limited = limit != resources.limits.end() && !limit->second.IsZero();
    const bool requested = request != resources.requests.end() && !request->second.IsZero();
    any = any || limited || requested;
    all = all && limited && (!requested || request->second == limit->second);
  }
  if (all) return Qos::kGuaranteed;
  return any ? Qos::kBurstable : Qos::kBestEffort;
}

std::string_view QosClass(const core_v1::PodSpec& spec) {
  bool guaranteed = true;
  bool best_effort = true;
  const auto add = [&](const std::vector<core_v1::Container>& containers) {
    for (const core_v1::Container& container : containers) {
      const Qos qos = QosOf(container.resources);
      guaranteed = guaranteed && qos == Qos::kGuaranteed;
      best_effort = best_effort && qos == Qos::kBestEffort;
    }
  };
  add(spec.init_containers);
  add(spec.containers);
  if (best_effort) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

void CreatePod(api::Object& object) {
  auto& pod = object.Mutable<core_v1::Pod>();
  pod.status.phase = "Pending";
  pod.status.qos_class = QosClass(pod.spec);
  if (pod.spec.scheduling_gates.empty()) return;
  core_v1::PodCondition gated;
  gated.type = "PodScheduled";
  gated.status = "False";
  gated.last_transition_time = pod.metadata.creation_timestamp;
  gated.reason = "SchedulingGated";
  gated.message = "Scheduling is blocked due to non-empty scheduling gates";
  pod.status.conditions.push_back(gated);
}

void UpdatePodStatus(api::Object& object, const api::Object& old) {
  object.Mutable<core_v1::Pod>().status.qos_class = old.As<core_v1::Pod>().status.qos_class;
}

int64_t PodGraceSeconds(const api::Object& object, std::optional<int64_t> asked) {
  const auto& pod = object.As<core_v1::Pod>();
  // Nothing runs that would need time to end.
  if (pod.spec.node_name.empty()) return 0;
  if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return 0;
  const int64_t seconds =
      asked.value_or(pod.spec.termination_grace_period_seconds.value_or(kPodGraceSeconds));
  return seconds < 0 ? 1 : seconds;
}

// ----------------------------------------------------------------------------------------- claims

bool IsAllocated(const resource_v1::AllocatedDeviceStatus& device,
                 const std::optional<resource_v1::AllocationResult>& allocation) {
  if (!allocation.has_value()) return false;
  const auto& results = allocation->devices.results;
  return std::ranges::any_of(results, [&](const auto& result) {
    return result.driver == device.driver && result.pool == device.pool &&
           result.device == device.device && result.share_id == device.share_id;
  });
}

// A driver's report about a device goes with the device (KEP-4817).
void UpdateClaimStatus(api::Object& object, const api::Object& old) {
  if (object.If<resource_v1::ResourceClaim>() == nullptr) return;  // a classic claim
  auto& status = object.Mutable<resource_v1::ResourceClaim>().status;
  const auto& before = old.As<resource_v1::ResourceClaim>().status.allocation;
  std::erase_if(status.devices, [&](const resource_v1::AllocatedDeviceStatus& device) {
    return IsAllocated(device, before) && !IsAllocated(device, status.allocation);
  });
}

// ------------------------------------------------------------------------------------ taint rules

// The time says since when devices have this effect, so it moves with the effect unless the client
// moved it (KEP-5055).
void UpdateTaintRule(api::Object& object, const api::Object& old, WallTime now) {
  resource_v1::DeviceTaint& taint = object.Mutable<resource_v1::DeviceTaintRule>().spec.taint;
  const resource_v1::DeviceTaint& before = old.As<resource_v1::DeviceTaintRule>().spec.taint;
  if (taint.effect == before.effect || taint.time_added != before.time_added) return;
  taint.time_added = api::Time::Of(now);
}

// ------------------------------------------------------------------------------------------ table

struct Row {
  std::string_view group, kind;
  KindStrategy strategy;
};

constexpr std::array kRows = {
    Row{"",
        "Namespace",
        {.status_metadata = StatusMetadata::kFree,
         .prepare_create = CreateNamespace,
         .prepare_update = UpdateNamespace,
         .has_finalizers = NamespaceHasFinalizers,
         .mark_deleted = TerminateNamespace}},
    // A kubelet registers its node with what it found on the machine, and labels it later.
    Row{"", "Node", {.status_on_create = true, .status_metadata = StatusMetadata::kFree}},
    Row{"",
        "Pod",
        {.generation_in = {.first = 34},
         .status_metadata = StatusMetadata::kOwnersFromStore,
         .prepare_create = CreatePod,
         .prepare_status = UpdatePodStatus,
         .grace_seconds = PodGraceSeconds}},
    Row{"resource.k8s.io", "ResourceClaim", {.prepare_status = UpdateClaimStatus}},
    Row{"resource.k8s.io", "DeviceTaintRule", {.prepare_update = UpdateTaintRule}},
};

}  // namespace

const KindStrategy& StrategyOf(const api::KindInfo& kind) {
  static constexpr KindStrategy kNone;
  const auto* found = std::ranges::find_if(
      kRows, [&](const Row& row) { return row.group == kind.group && row.kind == kind.kind; });
  return found == kRows.end() ? kNone : found->strategy;
}

}  // namespace dray::server::registry
