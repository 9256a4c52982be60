// SPDX-License-Identifier: Apache-2.0
// Workloads. Upstream: pkg/apis/{apps,batch,autoscaling}/*/defaults.go.
#include <limits>
#include <span>

#include "api/apps_v1/daemon_set.h"
#include "api/apps_v1/deployment.h"
#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/autoscaling_v2.h"
#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/core_v1/pod_template.h"
#include "api/core_v1/replication_controller.h"
#include "api/defaults/defaults.h"
#include "api/defaults/kind_defaults.h"

namespace dray::api::defaults {
namespace {

constexpr int32_t kHistory = 10;
constexpr int32_t kProgressSeconds = 600;
constexpr int32_t kBackoff = 6;
constexpr int32_t kSucceededKept = 3;
constexpr int32_t kFailedKept = 1;
constexpr int32_t kCpuPercent = 80;
constexpr std::string_view kRolling = "RollingUpdate";
// Since then a job states whether its selector was generated.
constexpr Releases kSaysManualSelector = {.first = 31, .last = 255};

void SetClaims(apps_v1::StatefulSetSpec& spec) {
  for (core_v1::PersistentVolumeClaim& claim : spec.volume_claim_templates) {
    SetIfEmpty(claim.status.phase, "Pending");
    SetIfAbsent(claim.spec.volume_mode, "Filesystem");
  }
}

void SetDeployment(void* object, const Context& /*context*/) {
  apps_v1::DeploymentSpec& spec = static_cast<apps_v1::Deployment*>(object)->spec;
  SetPodTemplateDefaults(spec.template_.spec);
  SetIfAbsent(spec.replicas, 1);
  SetIfEmpty(spec.strategy.type, kRolling);
  if (spec.strategy.type == kRolling) {
    if (!spec.strategy.rolling_update.has_value()) spec.strategy.rolling_update.emplace();
    SetIfAbsent(spec.strategy.rolling_update->max_unavailable, std::string("25%"));
    SetIfAbsent(spec.strategy.rolling_update->max_surge, std::string("25%"));
  }
  SetIfAbsent(spec.revision_history_limit, kHistory);
  SetIfAbsent(spec.progress_deadline_seconds, kProgressSeconds);
}

void SetDaemonSet(void* object, const Context& /*context*/) {
  apps_v1::DaemonSetSpec& spec = static_cast<apps_v1::DaemonSet*>(object)->spec;
  SetPodTemplateDefaults(spec.template_.spec);
  SetIfEmpty(spec.update_strategy.type, kRolling);
  if (spec.update_strategy.type == kRolling) {
    if (!spec.update_strategy.rolling_update.has_value()) {
      spec.update_strategy.rolling_update.emplace();
    }
    SetIfAbsent(spec.update_strategy.rolling_update->max_unavailable, 1);
    SetIfAbsent(spec.update_strategy.rolling_update->max_surge, 0);
  }
  SetIfAbsent(spec.revision_history_limit, kHistory);
}

void SetReplicaSet(void* object, const Context& /*context*/) {
  apps_v1::ReplicaSetSpec& spec = static_cast<apps_v1::ReplicaSet*>(object)->spec;
  SetPodTemplateDefaults(spec.template_.spec);
  SetIfAbsent(spec.replicas, 1);
}

void SetStatefulSet(void* object, const Context& /*context*/) {
  apps_v1::StatefulSetSpec& spec = static_cast<apps_v1::StatefulSet*>(object)->spec;
  SetPodTemplateDefaults(spec.template_.spec);
  SetIfEmpty(spec.pod_management_policy, "OrderedReady");
  SetIfEmpty(spec.update_strategy.type, kRolling);
  if (spec.update_strategy.type == kRolling) {
    if (!spec.update_strategy.rolling_update.has_value()) {
      spec.update_strategy.rolling_update.emplace();
    }
    SetIfAbsent(spec.update_strategy.rolling_update->partition, 0);
  }
  auto& retention = spec.persistent_volume_claim_retention_policy;
  if (!retention.has_value()) retention.emplace();
  SetIfEmpty(retention->when_deleted, "Retain");
  SetIfEmpty(retention->when_scaled, "Retain");
  SetIfAbsent(spec.replicas, 1);
  SetIfAbsent(spec.revision_history_limit, kHistory);
  SetClaims(spec);
}

void SetJob(void* object, const Context& context) {
  auto& job = *static_cast<batch_v1::Job*>(object);
  batch_v1::JobSpec& spec = job.spec;
  SetPodTemplateDefaults(spec.template_.spec);
  if (!spec.completions.has_value() && !spec.parallelism.has_value()) spec.completions = 1;
  SetIfAbsent(spec.parallelism, 1);
  const bool by_index = spec.backoff_limit_per_index.has_value();
  SetIfAbsent(spec.backoff_limit, by_index ? std::numeric_limits<int32_t>::max() : kBackoff);
  if (job.metadata.labels.empty()) job.metadata.labels = spec.template_.metadata.labels;
  SetIfAbsent(spec.completion_mode, "NonIndexed");
  SetIfAbsent(spec.suspend, false);
  SetIfAbsent(spec.pod_replacement_policy,
              spec.pod_failure_policy.has_value() ? "Failed" : "TerminatingOrFailed");
  if (kSaysManualSelector.Rules(context.release)) SetIfAbsent(spec.manual_selector, false);
}

void SetCronJob(void* object, const Context& /*context*/) {
  batch_v1::CronJobSpec& spec = static_cast<batch_v1::CronJob*>(object)->spec;
  SetPodTemplateDefaults(spec.job_template.spec.template_.spec);
  SetIfEmpty(spec.concurrency_policy, "Allow");
  SetIfAbsent(spec.suspend, false);
  SetIfAbsent(spec.successful_jobs_history_limit, kSucceededKept);
  SetIfAbsent(spec.failed_jobs_history_limit, kFailedKept);
}

void SetController(void* object, const Context& /*context*/) {
  auto& controller = *static_cast<core_v1::ReplicationController*>(object);
  core_v1::ReplicationControllerSpec& spec = controller.spec;
  if (spec.template_.has_value()) {
    SetPodTemplateDefaults(spec.template_->spec);
    const auto& labels = spec.template_->metadata.labels;
    if (spec.selector.empty()) spec.selector = labels;
    if (controller.metadata.labels.empty()) controller.metadata.labels = labels;
  }
  SetIfAbsent(spec.replicas, 1);
}

void SetPodTemplate(void* object, const Context& /*context*/) {
  SetPodTemplateDefaults(static_cast<core_v1::PodTemplate*>(object)->template_.spec);
}

void SetAutoscaler(void* object, const Context& /*context*/) {
  auto& spec = static_cast<autoscaling_v2::HorizontalPodAutoscaler*>(object)->spec;
  SetIfAbsent(spec.min_replicas, 1);
  if (!spec.metrics.empty()) return;
  autoscaling_v2::MetricSpec cpu;
  cpu.type = "Resource";
  autoscaling_v2::ResourceMetricSource& resource = cpu.resource.emplace();
  resource.name = "cpu";
  resource.target.type = "Utilization";
  resource.target.average_utilization = kCpuPercent;
  spec.metrics.push_back(std::move(cpu));
}

constexpr KindDefaults kWorkloadDefaults[] = {
    DefaultsOf<apps_v1::DaemonSet>(SetDaemonSet),
    DefaultsOf<apps_v1::Deployment>(SetDeployment),
    DefaultsOf<apps_v1::ReplicaSet>(SetReplicaSet),
    DefaultsOf<apps_v1::StatefulSet>(SetStatefulSet),
    DefaultsOf<autoscaling_v2::HorizontalPodAutoscaler>(SetAutoscaler),
    DefaultsOf<batch_v1::CronJob>(SetCronJob),
    DefaultsOf<batch_v1::Job>(SetJob),
    DefaultsOf<core_v1::PodTemplate>(SetPodTemplate),
    DefaultsOf<core_v1::ReplicationController>(SetController),
};

}  // namespace

std::span<const KindDefaults> WorkloadDefaults() {
  return kWorkloadDefaults;
}

}  // namespace dray::api::defaults
