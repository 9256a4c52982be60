// SPDX-License-Identifier: Apache-2.0
#include "planning/workloads.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "api/apps_v1/daemon_set.h"
#include "api/apps_v1/deployment.h"
#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/pod_template.h"
#include "api/core_v1/replication_controller.h"
#include "scheduler/node_filter.h"

namespace dray::planning {
namespace {

namespace apps = api::apps_v1;
namespace batch = api::batch_v1;
namespace core = api::core_v1;

/// What a workload runs.
struct Wanted {
  const core::PodTemplateSpec* pods = nullptr;  // null: it is no workload
  int64_t count = 1;
  int64_t first = 0;  // number
  bool on_each_node = false;
};

Wanted OfJob(const batch::JobSpec& job) {
  Wanted wanted{.pods = &job.template_, .count = job.parallelism.value_or(1)};
  if (job.completions.has_value()) wanted.count = std::min<int64_t>(wanted.count, *job.completions);
  if (job.suspend.value_or(false)) wanted.count = 0;
  return wanted;
}

Wanted WantedOf(const api::Object& object) {
  if (const auto* deployment = object.If<apps::Deployment>()) {
    return {.pods = &deployment->spec.template_, .count = deployment->spec.replicas.value_or(1)};
  }
  if (const auto* set = object.If<apps::ReplicaSet>()) {
    return {.pods = &set->spec.template_, .count = set->spec.replicas.value_or(1)};
  }
  if (const auto* set = object.If<apps::StatefulSet>()) {
    return {.pods = &set->spec.template_,
            .count = set->spec.replicas.value_or(1),
            .first = set->spec.ordinals.has_value() ? set->spec.ordinals->start : 0};
  }
  if (const auto* set = object.If<apps::DaemonSet>())
    return {.pods = &set->spec.template_, .on_each_node = true};
  if (const auto* job = object.If<batch::Job>()) return OfJob(job->spec);
  if (const auto* job = object.If<batch::CronJob>()) return OfJob(job->spec.job_template.spec);
  if (const auto* controller = object.If<core::ReplicationController>()) {
    if (!controller->spec.template_.has_value()) return {};
    return {.pods = &*controller->spec.template_, .count = controller->spec.replicas.value_or(1)};
  }
  return {};
}

PlacedObject PodOf(World& world,
                   const PlacedObject& workload,
                   const core::PodTemplateSpec& pattern,
                   const std::string& suffix) {
  const api::meta_v1::ObjectMeta& owner = workload.object.metadata();
  core::Pod pod;
  pod.metadata.name = fmt::format("{}-{}", owner.name, suffix);
  pod.metadata.namespace_ = owner.namespace_;
  pod.metadata.labels = pattern.metadata.labels;
  pod.metadata.annotations = pattern.metadata.annotations;
  pod.metadata.owner_references.push_back({.api_version = workload.object.kind().api_version(),
                                           .kind = std::string(workload.object.kind().kind),
                                           .name = owner.name,
                                           .uid = owner.uid,
                                           .controller = true});
  pod.spec = pattern.spec;
  return {AsStored(world, api::Object::Of(std::move(pod)), owner.namespace_), workload.place};
}

/// As the controller of DaemonSets makes it: for that node, whatever trouble it is in.
void PutOn(const std::string& node, core::Pod& pod) {
  constexpr std::string_view kEndured[] = {"not-ready:NoExecute",
                                           "unreachable:NoExecute",
                                           "disk-pressure:NoSchedule",
                                           "memory-pressure:NoSchedule",
                                           "pid-pressure:NoSchedule",
                                           "unschedulable:NoSchedule"};
  for (const std::string_view taint : kEndured) {
    const size_t colon = taint.find(':');
    pod.spec.tolerations.push_back(
        {.key = fmt::format("node.kubernetes.io/{}", taint.substr(0, colon)),
         .operator_ = "Exists",
         .effect = std::string(taint.substr(colon + 1))});
  }
  if (!pod.spec.affinity.has_value()) pod.spec.affinity.emplace();
  if (!pod.spec.affinity->node_affinity.has_value()) pod.spec.affinity->node_affinity.emplace();
  auto& required =
      pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required.has_value()) required.emplace();
  if (required->node_selector_terms.empty()) required->node_selector_terms.emplace_back();
  for (auto& term : required->node_selector_terms) {
    term.match_fields = {{.key = "metadata.name", .operator_ = "In", .values = {node}}};
  }
}

bool MayRunOn(const core::Node& node, const core::Pod& pod) {
  return scheduler::MatchesAffinity(scheduler::NeedsOf(pod), node) &&
         !scheduler::HasForbiddingTaint(pod, node);
}

}  // namespace

bool IsWorkload(const api::Object& object) {
  return WantedOf(object).pods != nullptr;
}

Result<std::vector<PlacedObject>> PodsOf(World& world,
                                         const PlacedObject& workload,
                                         const std::map<std::string, api::Object>& nodes,
                                         std::optional<size_t> replicas) {
  const Wanted wanted = WantedOf(workload.object);
  std::vector<PlacedObject> pods;
  if (wanted.pods == nullptr) return pods;
  const int64_t count =
      replicas.has_value() && wanted.count > 0 ? static_cast<int64_t>(*replicas) : wanted.count;
  const size_t most =
      wanted.on_each_node ? nodes.size() : static_cast<size_t>(std::max<int64_t>(count, 0));
  if (most > kWorkloadPodsMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} {}: {} pods, at most {} are looked at",
                            workload.object.kind().kind,
                            api::ObjectKey(workload.object.metadata()),
                            most,
                            kWorkloadPodsMax));
  }
  for (int64_t i = 0; !wanted.on_each_node && i < count; ++i)
    pods.push_back(PodOf(world, workload, *wanted.pods, std::to_string(wanted.first + i)));
  if (!wanted.on_each_node) return pods;
  for (const auto& [name, node] : nodes) {
    const PlacedObject placed = PodOf(world, workload, *wanted.pods, name);
    api::Object changed = placed.object.Clone();
    PutOn(name, changed.Mutable<core::Pod>());
    if (!MayRunOn(node.As<core::Node>(), changed.As<core::Pod>())) continue;
    pods.push_back({std::move(changed), placed.place});
  }
  return pods;
}

}  // namespace dray::planning
