// SPDX-License-Identifier: Apache-2.0
#include "server/registry/core_kinds.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/defaults/defaults.h"
#include "api/pods/life.h"

namespace dray::server::registry {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kNamespaceFinalizer = "kubernetes";

constexpr int64_t kPodGraceSeconds = 30;  // of a pod without a setting

// Only these two resources decide a pod's class.
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

// A client that leaves out the generation that it observed has observed that of before. Conditions
// of one type, of which there may be several, are taken in their order.
void KeepObservedGenerations(core_v1::PodStatus& status, const core_v1::PodStatus& before) {
  if (status.observed_generation == 0) status.observed_generation = before.observed_generation;
  std::map<std::string_view, std::deque<int64_t>> known;
  for (const core_v1::PodCondition& condition : before.conditions) {
    known[condition.type].push_back(condition.observed_generation);
  }
  for (core_v1::PodCondition& condition : status.conditions) {
    const auto found = known.find(condition.type);
    if (found == known.end() || found->second.empty()) continue;
    if (condition.observed_generation == 0) condition.observed_generation = found->second.front();
    found->second.pop_front();
  }
}

// A client that does not know of the claims of a pod does not remove them; an empty list does.
void KeepClaims(core_v1::PodStatus& status, const core_v1::PodStatus& before) {
  if (!status.resource_claim_statuses.present()) {
    status.resource_claim_statuses = before.resource_claim_statuses;
  }
  if (!status.extended_resource_claim_status.has_value()) {
    status.extended_resource_claim_status = before.extended_resource_claim_status;
  }
  if (!status.node_allocatable_resource_claim_statuses.present()) {
    status.node_allocatable_resource_claim_statuses =
        before.node_allocatable_resource_claim_statuses;
  }
}

}  // namespace

void PrepareNewNamespace(api::Object& object) {
  auto& namespace_object = object.Mutable<core_v1::Namespace>();
  api::defaults::LabelNamespace(namespace_object);  // the name may have been generated
  namespace_object.status.phase = "Active";
  std::vector<std::string>& finalizers = namespace_object.spec.finalizers;
  if (std::ranges::find(finalizers, kNamespaceFinalizer) == finalizers.end()) {
    finalizers.emplace_back(kNamespaceFinalizer);
  }
}

void PrepareNamespace(api::Object& object,
                      const api::Object& old,
                      WallTime /*now*/,
                      const api::Profile& /*profile*/) {
  auto& namespace_object = object.Mutable<core_v1::Namespace>();
  namespace_object.spec.finalizers = old.As<core_v1::Namespace>().spec.finalizers;
  api::defaults::LabelNamespace(namespace_object);
}

bool NamespaceHasFinalizers(const api::Object& object) {
  return !object.As<core_v1::Namespace>().spec.finalizers.empty();
}

void TerminateNamespace(api::Object& object) {
  auto& namespace_object = object.Mutable<core_v1::Namespace>();
  namespace_object.status.phase = "Terminating";
  namespace_object.metadata.deletion_grace_period_seconds.reset();  // namespaces have none
}

void PrepareNewPod(api::Object& object) {
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

void PreparePodStatus(api::Object& object, const api::Object& old, const api::Profile& profile) {
  auto& status = object.Mutable<core_v1::Pod>().status;
  const auto& before = old.As<core_v1::Pod>().status;
  if (status.qos_class.empty()) status.qos_class = before.qos_class;
  if (profile.Since(33)) KeepObservedGenerations(status, before);
  if (profile.Since(37)) KeepClaims(status, before);
}

void PreparePodPart(api::Object& object, const api::Object& old, Subresource part) {
  auto& pod = object.Mutable<core_v1::Pod>();
  core_v1::PodSpec asked = std::move(pod.spec);
  pod.spec = old.As<core_v1::Pod>().spec;
  if (part == Subresource::kEphemeralContainers) {
    pod.spec.ephemeral_containers = std::move(asked.ephemeral_containers);
    return;
  }
  for (core_v1::Container& container : pod.spec.containers) {
    const auto resized =
        std::ranges::find(asked.containers, container.name, &core_v1::Container::name);
    if (resized == asked.containers.end()) continue;
    container.resources = resized->resources;
    container.resize_policy = resized->resize_policy;
  }
}

int64_t PodGraceSeconds(const api::Object& object, std::optional<int64_t> asked) {
  const auto& pod = object.As<core_v1::Pod>();
  // No container runs that needs time to stop.
  if (pod.spec.node_name.empty()) return 0;
  if (api::pods::HasEnded(pod)) return 0;
  const int64_t seconds =
      asked.value_or(pod.spec.termination_grace_period_seconds.value_or(kPodGraceSeconds));
  return seconds < 0 ? 1 : seconds;
}

}  // namespace dray::server::registry
