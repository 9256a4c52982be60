// SPDX-License-Identifier: Apache-2.0
// The pods that a workload declares.
#pragma once

#include <cstdint>

#include "api/core_v1/pod_template.h"
#include "api/object.h"

namespace dray::planning::inline objects {

/// The pods of a workload.
struct Wanted {
  const api::core_v1::PodTemplateSpec* pods = nullptr;  // null: the object is no workload
  int64_t count = 1;
  int64_t first = 0;  // number
  bool on_each_node = false;
  bool are_numbered = false;  // pod number N has the name NAME-N and no other
  const char* why_none = "runs no pods";

  void SetNone(const char* why) {
    count = 0;
    why_none = why;
  }
};

/// `object` must have its defaults. A Job has no more pods than completions left; a suspended one
/// has none.
Wanted WantedOf(const api::Object& object);

/// Whether WantedOf knows the kind: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob,
/// ReplicationController.
bool IsWorkload(const api::Object& object);

}  // namespace dray::planning::inline objects
