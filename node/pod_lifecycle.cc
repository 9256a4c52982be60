// SPDX-License-Identifier: Apache-2.0
#include "node/pod_lifecycle.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/pods/life.h"
#include "api/resource_v1/claim.h"

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using api::claims::Target;

/// Why the pod may not start because of this claim; empty when it is ready.
std::string WhyUnready(const core_v1::Pod& pod,
                       std::string_view name,
                       const api::claims::Lookup& find) {
  const api::Object* object = find(fmt::format("{}/{}", pod.metadata.namespace_, name));
  if (object == nullptr) return fmt::format("claim {} not found", name);
  const auto& claim = object->As<resource_v1::ResourceClaim>();
  if (!claim.status.allocation) return fmt::format("claim {} is not allocated", name);
  if (!api::claims::IsKeptFor(claim, pod)) {
    return fmt::format("claim {} is not reserved for the pod", name);
  }
  return {};
}

/// Why the pod may not start; empty when all claims are ready.
std::string UnreadyClaim(const core_v1::Pod& pod, const api::claims::Lookup& find) {
  for (const core_v1::PodResourceClaim& entry : pod.spec.resource_claims) {
    const Target target = api::claims::TargetOf(pod, entry);
    if (target.state == Target::State::kNone) continue;
    if (target.state == Target::State::kMissing) {
      return fmt::format("claim for entry {} is not created yet", entry.name);
    }
    if (std::string why = WhyUnready(pod, target.name, find); !why.empty()) return why;
  }
  const auto& extended = pod.status.extended_resource_claim_status;
  return extended ? WhyUnready(pod, extended->resource_claim_name, find) : std::string();
}

void SetCondition(core_v1::PodStatus& status,
                  std::string_view type,
                  std::string_view value,
                  std::string_view reason,
                  api::Time now) {
  auto condition = std::ranges::find(status.conditions, type, &core_v1::PodCondition::type);
  if (condition == status.conditions.end()) {
    condition = status.conditions.insert(condition, {.type = std::string(type)});
  }
  if (condition->status != value) condition->last_transition_time = now;
  condition->status = value;
  condition->reason = reason;
}

core_v1::PodStatus Started(const core_v1::Pod& pod, const NodeFacts& facts) {
  core_v1::PodStatus status = pod.status;
  status.phase = "Running";
  status.host_ip = facts.host_ip;
  status.host_ips = {{.ip = facts.host_ip}};
  status.pod_ip = facts.pod_ip;
  status.pod_ips = {{.ip = facts.pod_ip}};
  status.start_time = facts.now;
  status.container_statuses.clear();
  for (const core_v1::Container& container : pod.spec.containers) {
    core_v1::ContainerStatus running;
    running.name = container.name;
    running.image = container.image;
    running.ready = true;
    running.started = true;
    running.state.running = core_v1::ContainerStateRunning{.started_at = facts.now};
    status.container_statuses.push_back(std::move(running));
  }
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}) {
    SetCondition(status, type, "True", {}, facts.now);
  }
  return status;
}

core_v1::PodStatus Succeeded(const core_v1::Pod& pod, api::Time now) {
  core_v1::PodStatus status = pod.status;
  status.phase = "Succeeded";
  for (core_v1::ContainerStatus& container : status.container_statuses) {
    core_v1::ContainerStateTerminated terminated;
    terminated.reason = "Completed";
    if (container.state.running) terminated.started_at = container.state.running->started_at;
    terminated.finished_at = now;
    container.state = {.terminated = std::move(terminated)};
    container.ready = false;
    container.started = false;
  }
  for (const char* type : {"Ready", "ContainersReady"}) {
    SetCondition(status, type, "False", "PodCompleted", now);
  }
  return status;
}

std::optional<int64_t> RunSeconds(const core_v1::Pod& pod) {
  const auto found = pod.metadata.annotations.find(kRunSecondsAnnotation);
  if (found == pod.metadata.annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool valid = error == std::errc() && end == text.data() + text.size() && seconds >= 0 &&
                     seconds <= kRunSecondsMax;
  return valid ? std::optional(seconds) : std::nullopt;
}

}  // namespace

PodAction NextAction(const core_v1::Pod& pod,
                     const api::claims::Lookup& find,
                     const NodeFacts& facts) {
  if (pod.metadata.deletion_timestamp) return Remove{};
  if (api::pods::HasEnded(pod)) return Nothing{};
  if (pod.status.phase == "Running") {
    const std::optional<int64_t> seconds = RunSeconds(pod);
    if (!seconds || !pod.status.start_time) return Nothing{};
    const auto end = api::Time::FromUnixSeconds(pod.status.start_time->unix_seconds() + *seconds);
    if (end > facts.now) return RequeueAt{.time = end};
    return WriteStatus{.status = Succeeded(pod, facts.now)};
  }
  if (std::string why = UnreadyClaim(pod, find); !why.empty()) return CannotStart{std::move(why)};
  return WriteStatus{.status = Started(pod, facts)};
}

}  // namespace dray::node
