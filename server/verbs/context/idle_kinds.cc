// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/idle_kinds.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace dray::server::verbs::inline context {
namespace {

struct Idle {
  std::string_view group, kind, what;
};

// docs/differences.md names the same (style.links).
constexpr Idle kIdle[] = {
    {"", "ReplicationController", "no pods are made of it"},
    {"", "Service", "nothing is routed to its pods"},
    {"", "PersistentVolumeClaim", "no volume is made for it or bound to it"},
    {"apps", "DaemonSet", "no pods are made of it"},
    {"apps", "Deployment", "no pods are made of it"},
    {"apps", "ReplicaSet", "no pods are made of it"},
    {"apps", "StatefulSet", "no pods are made of it"},
    {"autoscaling", "HorizontalPodAutoscaler", "it scales nothing"},
    {"batch", "CronJob", "no jobs are made of it"},
    {"batch", "Job", "no pods are made of it"},
    {"certificates.k8s.io", "CertificateSigningRequest", "no certificate is signed"},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", "requests are not ordered by it"},
    {"flowcontrol.apiserver.k8s.io",
     "PriorityLevelConfiguration",
     "requests are not ordered by it"},
    {"networking.k8s.io", "Ingress", "nothing is routed by it"},
    {"networking.k8s.io", "NetworkPolicy", "it forbids no traffic"},
    {"policy", "PodDisruptionBudget", "no controller counts its pods, so it allows no eviction"},
    {"storage.k8s.io", "VolumeAttachment", "nothing is attached"},
    {"storagemigration.k8s.io", "StorageVersionMigration", "nothing is migrated"},
};

}  // namespace

std::string_view WhatDoesNotHappen(const api::KindInfo& kind) {
  const auto* const found = std::ranges::find_if(
      kIdle, [&](const Idle& idle) { return idle.group == kind.group && idle.kind == kind.kind; });
  return found == std::end(kIdle) ? std::string_view() : found->what;
}

void IdleKinds::Report(const api::KindInfo& kind, std::vector<std::string>& warnings) {
  const std::string_view what = WhatDoesNotHappen(kind);
  if (what.empty()) return;
  warnings.push_back(fmt::format("this {} is kept, and nothing acts on it: {}", kind.kind, what));
  const MutexLock lock(mutex_);
  if (!reported_.insert(kind.kind).second) return;
  log_.Warning(
      "objects of a kind are kept, and nothing acts on them", "kind", kind.kind, "so", what);
}

}  // namespace dray::server::verbs::inline context
