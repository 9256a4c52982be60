// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/workloads.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "base/text_uuid.h"
#include "base/try.h"
#include "controllers/claim_sync.h"
#include "manifests/pod_templates.h"
#include "planning/objects/waiting.h"
#include "planning/objects/wanted_pods.h"
#include "scheduler/plugins/node_affinity.h"
#include "scheduler/plugins/pod_needs.h"
#include "scheduler/plugins/taint_toleration.h"

namespace dray::planning::inline objects {
namespace {

namespace batch = api::batch_v1;
namespace core = api::core_v1;

using manifests::WrittenNameOf;

/// The name for LeftOut; for an object with several pod templates, it includes the template.
std::string NameOfPart(const api::Object& workload) {
  const auto source = manifests::SourceOf(workload);
  const std::string name = WrittenNameOf(workload);
  return source.has_value() ? fmt::format("{} ({})", name, source->path) : name;
}

api::meta_v1::OwnerReference OwnerReferenceTo(const api::Object& workload) {
  const api::meta_v1::ObjectMeta& metadata = workload.metadata();
  if (const auto source = manifests::SourceOf(workload))
    return {.kind = source->kind, .name = source->name, .controller = true};
  return {.api_version = std::string(workload.kind().api_version),
          .kind = std::string(workload.kind().kind),
          .name = metadata.name,
          .uid = metadata.uid,
          .controller = true};
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
  pod.metadata.owner_references.push_back(OwnerReferenceTo(workload.object));
  // Differs from the uid of an existing pod with the same name.
  pod.metadata.uid =
      UuidOf(fmt::format("{} {}", WrittenNameOf(workload.object), pod.metadata.name));
  pod.spec = pattern.spec;
  return {AsStored(world, api::Object::Of(std::move(pod)), owner.namespace_), workload.place};
}

/// As the DaemonSet controller makes the pod: for that node, with tolerations of its conditions.
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
         !scheduler::HasForbiddingTaint(node, pod.spec.tolerations);
}

/// Existing pods.
struct There {
  std::set<std::string, std::less<>> names;  // of pods of the workload's namespace
  std::set<std::string, std::less<>> nodes;  // with a pod of the workload, if it is a DaemonSet
};

std::vector<PlacedObject> PodsOnNodes(World& world,
                                      const PlacedObject& workload,
                                      const core::PodTemplateSpec& pattern,
                                      const std::map<std::string, api::Object>& nodes,
                                      const There& there) {
  std::vector<PlacedObject> pods;
  for (const auto& [name, node] : nodes) {
    if (there.nodes.contains(name)) continue;
    const PlacedObject placed = PodOf(world, workload, pattern, name);
    api::Object changed = placed.object.Clone();
    PutOn(name, changed.Mutable<core::Pod>());
    if (!MayRunOn(node.As<core::Node>(), changed.As<core::Pod>())) continue;
    pods.push_back({std::move(changed), placed.place});
  }
  return pods;
}

/// Errors: kBadRequest  more than kWorkloadPodsMax.
Result<std::vector<PlacedObject>> MakePods(World& world,
                                           const PlacedObject& workload,
                                           const Wanted& wanted,
                                           const std::map<std::string, api::Object>& nodes,
                                           const There& there) {
  const size_t most =
      wanted.on_each_node ? nodes.size() : static_cast<size_t>(std::max<int64_t>(wanted.count, 0));
  if (most > kWorkloadPodsMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{}: {} pods, at most {} are looked at",
                            WrittenNameOf(workload.object),
                            most,
                            kWorkloadPodsMax));
  }
  if (wanted.on_each_node) return PodsOnNodes(world, workload, *wanted.pods, nodes, there);
  std::vector<PlacedObject> pods;
  const std::string& owner = workload.object.metadata().name;
  for (int64_t number = wanted.first, left = wanted.count; left > 0; ++number) {
    const bool is_there = there.names.contains(fmt::format("{}-{}", owner, number));
    if (!is_there) pods.push_back(PodOf(world, workload, *wanted.pods, std::to_string(number)));
    if (!is_there || wanted.are_numbered) --left;
  }
  return pods;
}

/// The controller of an object, as WrittenNameOf spells it; empty: there is none.
std::string ControllerOf(const api::meta_v1::ObjectMeta& metadata) {
  for (const auto& owner : metadata.owner_references) {
    if (owner.controller.value_or(false))
      return fmt::format("{} {}/{}", owner.kind, metadata.namespace_, owner.name);
  }
  return {};
}

/// The Deployment of a pod whose ReplicaSet is not in the input: the ReplicaSet's name ends with
/// the pod's hash. Empty: it has none.
std::string DeploymentOf(const core::Pod& pod, std::string_view owner) {
  constexpr std::string_view kReplicaSet = "ReplicaSet ";
  const auto hash = pod.metadata.labels.find("pod-template-hash");
  if (hash == pod.metadata.labels.end() || !owner.starts_with(kReplicaSet)) return {};
  const std::string end = "-" + hash->second;
  if (!owner.ends_with(end)) return {};
  owner.remove_prefix(kReplicaSet.size());
  owner.remove_suffix(end.size());
  return fmt::format("Deployment {}", owner);
}

/// The node that a pod of a DaemonSet is on, or is made for.
std::string NodeMeant(const core::Pod& pod) {
  if (!pod.spec.node_name.empty()) return pod.spec.node_name;
  if (!pod.spec.affinity.has_value() || !pod.spec.affinity->node_affinity.has_value()) return {};
  const auto& required =
      pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required.has_value()) return {};
  for (const auto& term : required->node_selector_terms) {
    for (const auto& field : term.match_fields) {
      if (field.key == "metadata.name" && field.values.size() == 1) return field.values[0];
    }
  }
  return {};
}

/// The existing pods of all workloads.
class Running {
 public:
  explicit Running(const OfflineObjects& objects) {
    for (const PlacedWorkload& one : objects.workloads) {
      if (manifests::SourceOf(one.workload.object).has_value()) continue;
      const std::string name = WrittenNameOf(one.workload.object);
      there_.insert(name);
      const std::string owner = ControllerOf(one.workload.object.metadata());
      if (!owner.empty()) owners_.emplace(name, owner);
    }
    for (const PlacedObject& placed : objects.pods) {
      const auto& pod = placed.object.As<core::Pod>();
      names_[pod.metadata.namespace_].insert(pod.metadata.name);
      if (controllers::IsDone(pod) || pod.metadata.deletion_timestamp.has_value()) continue;
      const std::string owner = ControllerOf(pod.metadata);
      pods_[owner].push_back(&pod);
      if (const auto above = owners_.find(owner); above != owners_.end()) {
        pods_[above->second].push_back(&pod);
      } else if (const std::string deployment = DeploymentOf(pod, owner);
                 !there_.contains(owner) && !deployment.empty()) {
        pods_[deployment].push_back(&pod);
      }
    }
    for (const auto& [child, owner] : owners_) with_children_.insert(owner);
  }

  /// Whether another workload owns this one; its pods then count for the owner.
  bool RunsForItsOwner(const api::Object& workload) const {
    const std::string owner = ControllerOf(workload.metadata());
    return workload.If<batch::Job>() == nullptr && there_.contains(owner);
  }
  bool HasChildren(const std::string& name) const { return with_children_.contains(name); }
  bool HasAny(const std::string& name) const { return HasChildren(name) || !PodsOf(name).empty(); }
  const std::vector<const core::Pod*>& PodsOf(const std::string& name) const {
    static const std::vector<const core::Pod*> kNone;
    const auto found = pods_.find(name);
    return found == pods_.end() ? kNone : found->second;
  }
  There ThereOf(const api::Object& workload) const {
    There there;
    if (const auto names = names_.find(workload.metadata().namespace_); names != names_.end())
      there.names = names->second;
    for (const core::Pod* pod : PodsOf(WrittenNameOf(workload)))
      there.nodes.insert(NodeMeant(*pod));
    return there;
  }

 private:
  std::set<std::string, std::less<>> there_;
  std::map<std::string, std::string> owners_;  // of workloads, by their names
  std::set<std::string, std::less<>> with_children_;
  std::map<std::string, std::vector<const core::Pod*>, std::less<>> pods_;  // by owner
  std::map<std::string, std::set<std::string, std::less<>>> names_;         // by namespace
};

/// Why the workload is left out whatever pods exist; empty: it is not.
std::string WhyNot(const api::Object& workload, const Wanted& wanted, const Running& running) {
  if (workload.metadata().deletion_timestamp.has_value()) return "is being deleted";
  core::Pod pod;
  pod.spec = wanted.pods->spec;
  if (!UsesDevices(pod)) return "has pods that use no claim and no extended resource";
  if (workload.If<batch::CronJob>() != nullptr && running.HasChildren(WrittenNameOf(workload)))
    return "has its Jobs among the input";
  if (manifests::SourceOf(workload).has_value() && running.HasAny(WrittenNameOf(workload)))
    return "has its pods among the input";
  if (!wanted.on_each_node && wanted.count <= 0) return wanted.why_none;
  return {};
}

/// The pods that one workload lacks. `why`: why it has none and never will.
Result<std::vector<PlacedObject>> LackingPods(World& world,
                                              const PlacedObject& workload,
                                              const Running& running,
                                              const std::map<std::string, api::Object>& nodes,
                                              std::string& why) {
  Wanted wanted = WantedOf(workload.object);
  why = WhyNot(workload.object, wanted, running);
  if (!why.empty()) return std::vector<PlacedObject>();
  const auto& has = running.PodsOf(WrittenNameOf(workload.object));
  if (!wanted.are_numbered) wanted.count -= static_cast<int64_t>(has.size());
  DRAY_TRY(std::vector<PlacedObject> pods,
           MakePods(world, workload, wanted, nodes, running.ThereOf(workload.object)));
  if (pods.empty() && has.empty()) why = "has no node that takes its pods";
  return pods;
}

}  // namespace

Result<std::vector<PlacedObject>> PodsOf(World& world,
                                         const PlacedObject& workload,
                                         const std::map<std::string, api::Object>& nodes,
                                         std::optional<size_t> replicas) {
  Wanted wanted = WantedOf(workload.object);
  if (wanted.pods == nullptr) return std::vector<PlacedObject>();
  if (replicas.has_value() && wanted.count > 0) wanted.count = static_cast<int64_t>(*replicas);
  return MakePods(world, workload, wanted, nodes, {});
}

Result<std::vector<LeftOut>> RunWorkloads(World& world,
                                          OfflineObjects& objects,
                                          const std::string& namespace_,
                                          size_t pods_max) {
  const Running running(objects);
  std::vector<LeftOut> left_out;
  std::vector<PlacedObject> pods;
  size_t made = 0;
  size_t next = 0;  // index into objects.pods
  for (const auto& [workload, pods_before] : objects.workloads) {
    for (; next < pods_before; ++next) pods.push_back(objects.pods[next]);
    const api::Object& object = workload.object;
    const bool is_meant = namespace_.empty() || object.metadata().namespace_ == namespace_;
    if (!is_meant || running.RunsForItsOwner(object)) continue;
    std::string why;
    DRAY_TRY(std::vector<PlacedObject> lacking,
             LackingPods(world, workload, running, objects.nodes, why));
    if (!why.empty()) left_out.push_back({.what = NameOfPart(object), .why = std::move(why)});
    made += lacking.size();
    if (made > pods_max) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("the workloads run more than {} pods", pods_max));
    }
    std::ranges::move(lacking, std::back_inserter(pods));
  }
  for (; next < objects.pods.size(); ++next) pods.push_back(objects.pods[next]);
  objects.pods = std::move(pods);
  return left_out;
}

}  // namespace dray::planning::inline objects
