// SPDX-License-Identifier: Apache-2.0
// The strategies' functions for workloads.
#include <algorithm>
#include <string>
#include <string_view>

#include "api/apps_v1/daemon_set.h"
#include "api/apps_v1/deployment.h"
#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/claims/pod_groups.h"
#include "api/core_v1/pod_template.h"
#include "api/core_v1/replication_controller.h"
#include "api/scheduling_v1beta1.h"
#include "api/validation/workloads/pod_group.h"
#include "api/validation/workloads/workload.h"
#include "server/registry/more_strategies.h"
#include "server/registry/rules_of.h"

namespace dray::server::registry {
namespace {

namespace apps_v1 = api::apps_v1;
namespace batch_v1 = api::batch_v1;
namespace core_v1 = api::core_v1;
namespace scheduling_v1beta1 = api::scheduling_v1beta1;
namespace validation = api::validation;

constexpr std::string_view kControllerUid = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kJobName = "batch.kubernetes.io/job-name";

constexpr std::string_view kPodsOfJobsStay =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to "
    "remove them or set propagationPolicy=Orphan to suppress this warning";

// Gives a job a selector and labels by its uid, unless it has a selector of its own.
void PrepareNewJob(api::Object& object) {
  auto& job = object.Mutable<batch_v1::Job>();
  if (job.spec.manual_selector.value_or(false)) return;
  auto& labels = job.spec.template_.metadata.labels;
  const std::string& uid = job.metadata.uid;
  const std::string& name = job.metadata.name;
  // Each label also under its old name.
  labels.insert_or_assign("controller-uid", uid);
  labels.insert_or_assign("job-name", name);
  labels.insert_or_assign(std::string(kControllerUid), uid);
  labels.insert_or_assign(std::string(kJobName), name);
  if (!job.spec.selector.has_value()) job.spec.selector.emplace();
  job.spec.selector->match_labels.insert_or_assign(std::string(kControllerUid), uid);
}

template <class T, auto kRule, StatusMetadata kStatusMetadata = StatusMetadata::kFree>
constexpr Strategy kWorkload = {.type = &api::TypeOf<T>,
                                .status_metadata = kStatusMetadata,
                                .validate_create = Rule<T, kRule>,
                                .validate_update = Rule<T, kRule>};

constexpr Strategy kJob = {.type = &api::TypeOf<batch_v1::Job>,
                           .status_metadata = StatusMetadata::kFree,
                           .dependents = DependentsByDefault::kOrphaned,
                           .prepare_create = PrepareNewJob,
                           .validate_create = Rule<batch_v1::Job, validation::ValidateJob>,
                           .validate_update = Rule<batch_v1::Job, validation::ValidateJob>,
                           .no_policy_warning = kPodsOfJobsStay};

constexpr Strategy kController = {
    .type = &api::TypeOf<core_v1::ReplicationController>,
    .status_metadata = StatusMetadata::kFree,
    .dependents = DependentsByDefault::kOrphaned,
    .validate_create = Rule<core_v1::ReplicationController, validation::ValidateController>,
    .validate_update = Rule<core_v1::ReplicationController, validation::ValidateController>};

// Adds the finalizer that keeps a group while pods need it, as upstream's plugin
// PodGroupProtection.
void PrepareNewGroup(api::Object& object) {
  auto& finalizers = object.mutable_metadata().finalizers;
  if (std::ranges::find(finalizers, api::claims::kPodGroupFinalizer) == finalizers.end()) {
    finalizers.emplace_back(api::claims::kPodGroupFinalizer);
  }
}

constexpr Strategy kPodGroup = {
    .type = &api::TypeOf<scheduling_v1beta1::PodGroup>,
    .prepare_create = PrepareNewGroup,
    .validate_create = Rule<scheduling_v1beta1::PodGroup, validation::ValidatePodGroup>,
    .validate_update = Rule<scheduling_v1beta1::PodGroup, validation::ValidatePodGroup>,
    .validate_status = Rule<scheduling_v1beta1::PodGroup, validation::ValidatePodGroupStatus>};

constexpr Strategy kPodGroups = {
    .type = &api::TypeOf<scheduling_v1beta1::Workload>,
    .validate_create = Rule<scheduling_v1beta1::Workload, validation::ValidateWorkload>,
    .validate_update = Rule<scheduling_v1beta1::Workload, validation::ValidateWorkload>};

constexpr Strategy kWorkloadStrategies[] = {
    kPodGroup,
    kPodGroups,
    kWorkload<apps_v1::DaemonSet, validation::ValidateDaemonSet>,
    kWorkload<apps_v1::Deployment,
              validation::ValidateDeployment,
              StatusMetadata::kLabelsFromStore>,
    kWorkload<apps_v1::ReplicaSet, validation::ValidateReplicaSet>,
    kWorkload<apps_v1::StatefulSet, validation::ValidateStatefulSet>,
    kWorkload<batch_v1::CronJob, validation::ValidateCronJob>,
    kWorkload<core_v1::PodTemplate, validation::ValidatePodTemplate>,
    kController,
    kJob,
};

}  // namespace

std::span<const Strategy> WorkloadStrategies() {
  return kWorkloadStrategies;
}

}  // namespace dray::server::registry
