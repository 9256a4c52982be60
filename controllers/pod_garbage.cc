// SPDX-License-Identifier: Apache-2.0
#include "controllers/pod_garbage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/meta_v1/options.h"
#include "api/pods/life.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "controllers/key_loop.h"

namespace dray::controllers {
namespace {

using api::core_v1::Pod;
using api::core_v1::PodCondition;

// Nodes handled before the informers are polled again.
constexpr size_t kNodesPerStep = 8;
constexpr const char* kDisruptionTarget = "DisruptionTarget";

constexpr metrics::Description kDeleted{
    .name = "pod_gc_collector_force_delete_pods_total",
    .help = "Pods that were to go because their nodes are gone."};
constexpr metrics::Description kFailed{.name = "pod_gc_collector_force_delete_pod_errors_total",
                                       .help = "Those that could not be deleted."};

void SetFailed(Pod& pod, api::Time now) {
  pod.status.phase = "Failed";
  auto& conditions = pod.status.conditions;
  auto condition = std::ranges::find(conditions, kDisruptionTarget, &PodCondition::type);
  if (condition == conditions.end()) {
    condition = conditions.insert(condition, {.type = kDisruptionTarget});
  }
  if (condition->status != "True") condition->last_transition_time = now;
  condition->status = "True";
  condition->reason = "DeletionByPodGC";
  condition->message = "PodGC: node no longer exists";
}

}  // namespace

PodGarbage::PodGarbage(client::Client& client,
                       World& world,
                       client::SharedInformers& informers,
                       Log log)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      keys_({.clock = world.clock,
             .log = log_,
             .failed = "pods of a node that is gone stay for now"}),
      nodes_(informers.Of(api::Reflected<api::core_v1::Node>::kKind)),
      pods_(informers.Of(api::Reflected<Pod>::kKind)) {
  pods_by_node_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    const std::string& node = pod.As<Pod>().spec.node_name;
    if (!node.empty()) values.push_back(node);
  });
  nodes_.OnChange([this](auto* before, auto* after) { OnNode(before, after); });
  pods_.OnChange([this](auto*, auto* after) { OnPod(after); });
}

void PodGarbage::CountIn(metrics::Registry& registry) {
  keys_.CountIn(registry, "orphaned_pods_nodes");
  metrics_ = &registry;
}

std::optional<MonotonicTime> PodGarbage::Step() {
  std::optional<MonotonicTime> next = client::Earlier(nodes_.Step(), pods_.Step());
  if (!nodes_.synced() || !pods_.synced()) return next;
  if (keys_.MustStartOver()) {
    for (const auto& [key, pod] : pods_.objects()) OnPod(&pod);
  }
  keys_.Handle([this](const std::string& node) { return Sync(node); });
  return client::Earlier(next, keys_.Next());
}

/// Whether the pod's node exists is only checked once the nodes have been read, too.
void PodGarbage::OnPod(const api::Object* after) {
  if (after == nullptr) return;
  const std::string& node = after->As<Pod>().spec.node_name;
  if (!node.empty() && nodes_.Find(node) == nullptr) Quarantine(node);
}

void PodGarbage::OnNode(const api::Object* before, const api::Object* after) {
  if (after != nullptr) return;
  const std::string& node = before->metadata().name;
  if (!pods_.Indexed(pods_by_node_, node).empty()) Quarantine(node);
}

void PodGarbage::Quarantine(const std::string& node) {
  keys_.AddAt(node, world_.clock.Monotonic() + kQuarantine);
}

Result<> PodGarbage::Sync(const std::string& node) {
  if (nodes_.Find(node) != nullptr) return {};
  const Result<api::Object> live = client_.Get(
      {.kind = &api::Reflected<api::core_v1::Node>::kKind, .namespace_ = {}, .name = node});
  if (live) return {};
  if (live.error().reason != StatusReason::kNotFound) return Fail(live.error());
  std::vector<api::Object> pods;
  for (const std::string& key : pods_.Indexed(pods_by_node_, node))
    pods.push_back(*pods_.Find(key));
  Result<> outcome;
  for (const api::Object& pod : pods) {
    const Result<> removed = Remove(pod);
    const bool is_gone = removed || removed.error().reason == StatusReason::kNotFound;
    Count(pod, is_gone);
    if (!is_gone) outcome = Fail(StatusReason::kUnknown, removed.error().message);
  }
  return outcome;
}

/// Writes that the pod failed before it deletes the pod, so that watchers learn how it ended.
Result<> PodGarbage::Remove(const api::Object& pod) {
  if (!api::pods::HasEnded(pod.As<Pod>())) {
    const api::Time now = api::Time::Of(world_.clock.Now());
    DRAY_TRY_VOID(client::ReadModifyWrite(
        client_, pod, "status", [&](api::Object& copy) -> Result<client::Change> {
          if (copy.metadata().uid != pod.metadata().uid) return client::Change::kNothing;
          SetFailed(copy.Mutable<Pod>(), now);
          return client::Change::kWrite;
        }));
  }
  api::meta_v1::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.preconditions = api::meta_v1::Preconditions{.uid = pod.metadata().uid};
  DRAY_TRY_VOID(client_.Delete(client::RefOf(pod), options));
  log_.Info("pod of a node that is gone deleted", "pod", api::ObjectKey(pod.metadata()));
  return {};
}

void PodGarbage::Count(const api::Object& pod, bool is_removed) {
  if (metrics_ == nullptr) return;
  const metrics::Labels labels = {{"namespace", pod.metadata().namespace_}, {"reason", "orphaned"}};
  metrics_->CounterOf(kDeleted, labels).Add();
  if (!is_removed) metrics_->CounterOf(kFailed, labels).Add();
}

}  // namespace dray::controllers
