// SPDX-License-Identifier: Apache-2.0
// Rules for workloads: selectors must match their pods and are immutable, and the pods must be
// valid. Not all of upstream's.
#pragma once

#include <vector>

#include "api/apps_v1/daemon_set.h"
#include "api/apps_v1/deployment.h"
#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/core_v1/pod_template.h"
#include "api/core_v1/replication_controller.h"
#include "api/validation/field_error.h"

namespace dray::api::validation::inline workloads {

// `old` is null for new objects.

std::vector<ErrorCause> ValidateDaemonSet(const apps_v1::DaemonSet& set,
                                          const apps_v1::DaemonSet* old,
                                          const Profile& profile = {});
std::vector<ErrorCause> ValidateDeployment(const apps_v1::Deployment& deployment,
                                           const apps_v1::Deployment* old,
                                           const Profile& profile = {});
std::vector<ErrorCause> ValidateReplicaSet(const apps_v1::ReplicaSet& set,
                                           const apps_v1::ReplicaSet* old,
                                           const Profile& profile = {});
std::vector<ErrorCause> ValidateStatefulSet(const apps_v1::StatefulSet& set,
                                            const apps_v1::StatefulSet* old,
                                            const Profile& profile = {});
/// The pod template of a job that is not suspended is immutable.
std::vector<ErrorCause> ValidateJob(const batch_v1::Job& job,
                                    const batch_v1::Job* old,
                                    const Profile& profile = {});
std::vector<ErrorCause> ValidatePodTemplate(const core_v1::PodTemplate& pods,
                                            const Profile& profile = {});
std::vector<ErrorCause> ValidateController(const core_v1::ReplicationController& controller,
                                           const Profile& profile = {});
std::vector<ErrorCause> ValidateCronJob(const batch_v1::CronJob& job, const Profile& profile = {});

}  // namespace dray::api::validation::inline workloads
