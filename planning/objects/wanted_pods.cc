// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/wanted_pods.h"

#include <algorithm>

#include "api/apps_v1/daemon_set.h"
#include "api/apps_v1/deployment.h"
#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/core_v1/replication_controller.h"

namespace dray::planning::inline objects {
namespace {

namespace apps = api::apps_v1;
namespace batch = api::batch_v1;
namespace core = api::core_v1;

Wanted OfJob(const batch::JobSpec& job, int64_t succeeded = 0) {
  Wanted wanted{.pods = &job.template_, .count = job.parallelism.value_or(1)};
  if (job.completions.has_value())
    wanted.count = std::clamp<int64_t>(*job.completions - succeeded, 0, wanted.count);
  if (job.suspend.value_or(false)) wanted.SetNone("is suspended");
  return wanted;
}

Wanted OfJob(const batch::Job& job) {
  Wanted wanted = OfJob(job.spec, job.status.succeeded);
  for (const batch::JobCondition& condition : job.status.conditions) {
    const bool is_end = condition.type == "Complete" || condition.type == "Failed";
    if (is_end && condition.status == "True") wanted.SetNone("is done");
  }
  return wanted;
}

Wanted OfCronJob(const batch::CronJob& job) {
  Wanted wanted = OfJob(job.spec.job_template.spec);
  if (job.spec.suspend.value_or(false)) wanted.SetNone("is suspended");
  return wanted;
}

}  // namespace

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
            .first = set->spec.ordinals.has_value() ? set->spec.ordinals->start : 0,
            .are_numbered = true};
  }
  if (const auto* set = object.If<apps::DaemonSet>())
    return {.pods = &set->spec.template_, .on_each_node = true};
  if (const auto* job = object.If<batch::Job>()) return OfJob(*job);
  if (const auto* job = object.If<batch::CronJob>()) return OfCronJob(*job);
  if (const auto* controller = object.If<core::ReplicationController>()) {
    if (!controller->spec.template_.has_value()) return {};
    return {.pods = &*controller->spec.template_, .count = controller->spec.replicas.value_or(1)};
  }
  return {};
}

bool IsWorkload(const api::Object& object) {
  return WantedOf(object).pods != nullptr;
}

}  // namespace dray::planning::inline objects
