// SPDX-License-Identifier: Apache-2.0
#include "planning/whatif/what_if.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "base/text/spelling.h"
#include "base/try.h"
#include "controllers/claim_sync.h"
#include "controllers/eviction.h"
#include "dray/device_id.h"
#include "dray/node_copy.h"
#include "dray/taint_rules.h"
#include "planning/objects/workloads.h"
#include "scheduler/plugins/taint_toleration.h"

namespace dray::planning::inline whatif {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

/// Removes the pod from its claims' consumers. Claims without other users lose their devices, and
/// claims made for the pod are deleted.
void GiveBackClaims(OfflineObjects& objects, const std::string& pod_uid) {
  for (auto& [key, placed] : objects.claims) {
    const auto& claim = placed.object.As<v1::ResourceClaim>();
    const auto is_ours = [&](const v1::ResourceClaimConsumerReference& consumer) {
      return consumer.uid == pod_uid;
    };
    if (std::ranges::none_of(claim.status.reserved_for, is_ours)) continue;
    api::Object changed = placed.object.Clone();
    auto& status = changed.Mutable<v1::ResourceClaim>().status;
    std::erase_if(status.reserved_for, is_ours);
    if (status.reserved_for.empty()) status.allocation.reset();
    placed.object = std::move(changed);
  }
}

void DropClaim(OfflineObjects& objects, const std::string& key) {
  objects.claims.erase(key);
  std::erase(objects.claim_order, key);
}

/// "namespace/name" of the DaemonSet that owns the pod; empty: none does.
std::string DaemonSetOf(const api::meta_v1::ObjectMeta& metadata) {
  const auto owner = std::ranges::find(
      metadata.owner_references, "DaemonSet", &api::meta_v1::OwnerReference::kind);
  return owner == metadata.owner_references.end()
             ? std::string()
             : fmt::format("{}/{}", metadata.namespace_, owner->name);
}

bool IsOfDaemonSet(const api::meta_v1::ObjectMeta& metadata) {
  return !DaemonSetOf(metadata).empty();
}

Result<> CheckNode(const OfflineObjects& objects, const std::string& node) {
  if (objects.nodes.contains(node)) return {};
  std::vector<std::string> known;
  known.reserve(objects.nodes.size());
  for (const auto& [name, object] : objects.nodes) known.push_back(name);
  return Fail(StatusReason::kBadRequest,
              fmt::format("no node {} in the input; {}", node, KnownNames(node, known)));
}

std::string NameOfCopy(const std::string& node, size_t number) {
  return fmt::format("{}-more-{}", node, number);
}

/// Makes the pod wait again. Its claims lose their devices unless other pods use them.
void PutBack(OfflineObjects& objects, PlacedObject& placed, std::vector<std::string>& moved) {
  GiveBackClaims(objects, placed.object.metadata().uid);
  moved.push_back("pod " + api::ObjectKey(placed.object.metadata()));
  api::Object waiting = placed.object.Clone();
  waiting.Mutable<core::Pod>().spec.node_name.clear();
  placed.object = std::move(waiting);
}

bool IsRunning(const core::Pod& pod) {
  return !pod.spec.node_name.empty() && !controllers::IsDone(pod);
}

/// Makes the pods wait again for which claims of this kind are reserved.
template <class Concerned>
std::vector<std::string> PutBackUsers(OfflineObjects& objects, Concerned concerned) {
  std::set<std::string> users;
  for (auto& [key, placed] : objects.claims) {
    const auto& claim = placed.object.As<v1::ResourceClaim>();
    if (!claim.status.allocation.has_value() || !concerned(*claim.status.allocation)) continue;
    for (const auto& consumer : claim.status.reserved_for) users.insert(consumer.uid);
  }
  std::vector<std::string> moved;
  for (PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (users.contains(pod.metadata.uid) && IsRunning(pod)) PutBack(objects, placed, moved);
  }
  return moved;
}

/// "WHAT=KEY=VALUE:EFFECT".
struct TaintChange {
  std::string_view what, key, value, effect;
};

Result<TaintChange> ParseTaint(std::string_view text) {
  const size_t equals = text.find('=');
  const size_t colon = text.rfind(':');
  TaintChange taint;
  if (equals != std::string_view::npos && colon != std::string_view::npos && equals < colon) {
    taint = {.what = text.substr(0, equals),
             .key = text.substr(equals + 1, colon - equals - 1),
             .value = {},
             .effect = text.substr(colon + 1)};
    if (const size_t second = taint.key.find('='); second != std::string_view::npos) {
      taint.value = taint.key.substr(second + 1);
      taint.key = taint.key.substr(0, second);
    }
  }
  const bool is_known = taint.effect == "NoSchedule" || taint.effect == "NoExecute" ||
                        (taint.effect == "PreferNoSchedule" && taint.what.starts_with("node/"));
  if (!taint.key.empty() && is_known) return taint;
  return Fail(StatusReason::kBadRequest,
              fmt::format("{:?} is neither node/NAME=KEY[=VALUE]:EFFECT nor "
                          "device/DRIVER[/POOL[/DEVICE]]=KEY[=VALUE]:EFFECT with an effect "
                          "NoSchedule or NoExecute",
                          text));
}

Result<std::vector<std::string>> TaintNode(OfflineObjects& objects,
                                           const std::string& name,
                                           const TaintChange& text) {
  DRAY_TRY_VOID(CheckNode(objects, name));
  const core::Taint taint{.key = std::string(text.key),
                          .value = std::string(text.value),
                          .effect = std::string(text.effect)};
  api::Object tainted = objects.nodes.at(name).Clone();
  tainted.Mutable<core::Node>().spec.taints.push_back(taint);
  objects.nodes.at(name) = std::move(tainted);
  std::vector<std::string> moved;
  for (PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    const bool must_go = text.effect == "NoExecute" && pod.spec.node_name == name &&
                         IsRunning(pod) && !IsOfDaemonSet(pod.metadata) &&
                         !scheduler::IsTolerated(taint, pod.spec.tolerations);
    if (must_go) PutBack(objects, placed, moved);
  }
  return moved;
}

Result<std::vector<std::string>> TaintDevices(OfflineObjects& objects,
                                              std::string_view devices,
                                              const TaintChange& text) {
  v1::DeviceTaintRule rule;
  auto& selector = rule.spec.device_selector.emplace();
  std::optional<std::string>* const parts[] = {&selector.driver, &selector.pool, &selector.device};
  for (std::optional<std::string>* const part : parts) {
    if (devices.empty()) break;
    const size_t slash = devices.find('/');
    *part = std::string(devices.substr(0, slash));
    devices = slash == std::string_view::npos ? std::string_view() : devices.substr(slash + 1);
  }
  rule.spec.taint = {.key = std::string(text.key),
                     .value = std::string(text.value),
                     .effect = std::string(text.effect)};
  const auto frozen = std::make_shared<const v1::DeviceTaintRule>(rule);
  const auto before = objects.slices;
  objects.slices = allocator::WithTaintsOf({&frozen, 1}, std::move(objects.slices));
  if (objects.slices == before) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format("no device {} in the input", text.what.substr(text.what.find('/') + 1)));
  }
  if (text.effect != "NoExecute") return std::vector<std::string>();
  return PutBackUsers(objects, [&](const v1::AllocationResult& allocation) {
    const auto taints_of = [&](const v1::DeviceRequestAllocationResult& device,
                               const controllers::VisitTaint& visit) {
      const allocator::DeviceIdView id{
          .driver = device.driver, .pool = device.pool, .device = device.device};
      if (allocator::MatchesDevice(rule, id)) visit(rule.spec.taint, "");
    };
    return controllers::EvictionOf(allocation, taints_of).has_value();
  });
}

/// Errors: kBadRequest  more than `pods_max`.
Result<> CheckDaemons(size_t pods, size_t pods_max) {
  if (pods <= pods_max) return {};
  return Fail(StatusReason::kBadRequest,
              fmt::format("DaemonSets would have more than {} pods on the new nodes", pods_max));
}

/// The pod that the DaemonSet "namespace/name" would make for `node`, like its pod on another node.
PlacedObject DaemonLike(World& world,
                        const PlacedObject& pod,
                        const std::string& set,
                        const std::string& node) {
  const std::string name = set.substr(set.find('/') + 1);
  PlacedObject daemon = CopyOf(world, pod, fmt::format("{}-{}", name, node));
  auto& value = daemon.object.Mutable<core::Pod>();
  value.metadata.creation_timestamp = {};
  value.metadata.resource_version.clear();
  if (!value.spec.affinity.has_value() || !value.spec.affinity->node_affinity.has_value())
    return daemon;
  auto& required =
      value.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required.has_value()) return daemon;
  for (core::NodeSelectorTerm& term : required->node_selector_terms) {
    for (core::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key == "metadata.name") field.values = {node};
    }
  }
  return daemon;
}

}  // namespace

Result<> Delete(OfflineObjects& objects,
                std::string_view what,
                const std::string& default_namespace) {
  const size_t slash = what.find('/');
  const std::string_view kind = what.substr(0, slash);
  std::string name(slash == std::string_view::npos ? "" : what.substr(slash + 1));
  if ((kind != "pod" && kind != "claim") || name.empty()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{:?} is none of pod/NAME, claim/NAME and KIND/NAMESPACE/NAME", what));
  }
  if (name.find('/') == std::string::npos) name = default_namespace + "/" + name;
  std::vector<std::string> known;
  if (kind == "claim") {
    if (objects.claims.contains(name)) {
      DropClaim(objects, name);
      return {};
    }
    known = objects.claim_order;
  }
  for (auto pod = objects.pods.begin(); kind == "pod" && pod != objects.pods.end(); ++pod) {
    std::string key = api::ObjectKey(pod->object.metadata());
    if (key == name) {
      GiveBackClaims(objects, pod->object.metadata().uid);
      objects.pods.erase(pod);
      return {};
    }
    known.push_back(std::move(key));
  }
  return Fail(StatusReason::kBadRequest,
              fmt::format("no {} {} in the input; {}", kind, name, KnownNames(name, known)));
}

Result<std::vector<std::string>> Drain(OfflineObjects& objects, const std::string& node) {
  DRAY_TRY_VOID(CheckNode(objects, node));
  api::Object cordoned = objects.nodes.at(node).Clone();
  cordoned.Mutable<core::Node>().spec.unschedulable = true;
  objects.nodes.at(node) = std::move(cordoned);
  std::vector<std::string> moved;
  for (PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (pod.spec.node_name == node && IsRunning(pod) && !IsOfDaemonSet(pod.metadata))
      PutBack(objects, placed, moved);
  }
  return moved;
}

Result<std::vector<std::string>> RemoveNode(OfflineObjects& objects, const std::string& node) {
  DRAY_TRY(std::vector<std::string> moved, Drain(objects, node));
  objects.nodes.erase(node);
  std::erase_if(objects.slices, [&](const auto& slice) { return slice->spec.node_name == node; });
  std::erase_if(objects.pods, [&](const PlacedObject& placed) {
    return placed.object.As<core::Pod>().spec.node_name == node;
  });
  return moved;
}

Result<std::vector<std::string>> AddTaint(OfflineObjects& objects, std::string_view text) {
  constexpr std::string_view kNode = "node/";
  constexpr std::string_view kDevice = "device/";
  DRAY_TRY(const TaintChange taint, ParseTaint(text));
  if (taint.what.starts_with(kNode))
    return TaintNode(objects, std::string(taint.what.substr(kNode.size())), taint);
  if (taint.what.starts_with(kDevice) && taint.what.size() > kDevice.size())
    return TaintDevices(objects, taint.what.substr(kDevice.size()), taint);
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("{:?} is neither node/NAME nor device/DRIVER[/POOL[/DEVICE]]", taint.what));
}

Result<std::vector<std::string>> UpgradeDriver(OfflineObjects& objects,
                                               std::vector<Frozen<v1::ResourceSlice>> slices) {
  if (slices.empty()) return Fail(StatusReason::kBadRequest, "there is no ResourceSlice");
  std::set<std::string> drivers;
  std::set<allocator::DeviceId> there;
  for (const auto& slice : slices) {
    drivers.insert(slice->spec.driver);
    for (const v1::Device& device : slice->spec.devices) {
      there.insert(
          {.driver = slice->spec.driver, .pool = slice->spec.pool.name, .device = device.name});
    }
  }
  std::erase_if(objects.slices,
                [&](const auto& slice) { return drivers.contains(slice->spec.driver); });
  objects.slices.insert(objects.slices.end(), slices.begin(), slices.end());
  return PutBackUsers(objects, [&](const v1::AllocationResult& allocation) {
    return std::ranges::any_of(allocation.devices.results, [&](const auto& result) {
      return drivers.contains(result.driver) &&
             !there.contains(
                 {.driver = result.driver, .pool = result.pool, .device = result.device});
    });
  });
}

Result<> AddNode(OfflineObjects& objects,
                 api::Object node,
                 std::vector<Frozen<v1::ResourceSlice>> slices) {
  const std::string name = node.metadata().name;
  if (!objects.nodes.emplace(name, std::move(node)).second) {
    return Fail(StatusReason::kBadRequest, fmt::format("there is a node {} already", name));
  }
  objects.slices.insert(objects.slices.end(), slices.begin(), slices.end());
  return {};
}

Result<> AddNodesLike(OfflineObjects& objects, const std::string& node, size_t count) {
  DRAY_TRY_VOID(CheckNode(objects, node));
  if (count > kCopiesMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} nodes more: at most {}", count, kCopiesMax));
  }
  const std::vector<Frozen<v1::ResourceSlice>> slices = objects.slices;
  size_t made = 0;
  for (size_t number = 0; made < count; ++number) {
    const std::string copy = NameOfCopy(node, number);
    if (objects.nodes.contains(copy)) continue;
    ++made;
    api::Object added = objects.nodes.at(node).Clone();
    allocator::NodeCopy like = allocator::NodeLike(added.As<core::Node>(), slices, copy);
    added.Mutable<core::Node>() = std::move(like.node);
    objects.nodes.insert_or_assign(copy, std::move(added));
    std::ranges::move(like.slices, std::back_inserter(objects.slices));
  }
  return {};
}

Result<std::vector<std::string>> AddDaemons(World& world,
                                            OfflineObjects& objects,
                                            const std::set<std::string>& nodes_before,
                                            const std::string& like,
                                            size_t pods_max) {
  std::map<std::string, api::Object> added = objects.nodes;
  std::erase_if(added, [&](const auto& node) { return nodes_before.contains(node.first); });
  std::vector<PlacedObject> daemons;
  std::set<std::string> known;
  for (const PlacedWorkload& one : objects.workloads) {
    if (one.workload.object.kind().kind != "DaemonSet" || added.empty()) continue;
    known.insert(api::ObjectKey(one.workload.object.metadata()));
    DRAY_TRY(std::vector<PlacedObject> pods, PodsOf(world, one.workload, added));
    DRAY_TRY_VOID(CheckDaemons(daemons.size() + pods.size(), pods_max));
    std::ranges::move(pods, std::back_inserter(daemons));
  }
  for (const PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    const std::string set = DaemonSetOf(pod.metadata);
    if (like.empty() || pod.spec.node_name != like || !IsRunning(pod)) continue;
    if (set.empty() || known.contains(set)) continue;
    DRAY_TRY_VOID(CheckDaemons(daemons.size() + added.size(), pods_max));
    for (const auto& [node, object] : added)
      daemons.push_back(DaemonLike(world, placed, set, node));
  }
  std::vector<std::string> names;
  names.reserve(daemons.size());
  for (const PlacedObject& one : daemons)
    names.push_back("pod " + api::ObjectKey(one.object.metadata()));
  for (PlacedWorkload& one : objects.workloads) one.pods_before += daemons.size();
  objects.pods.insert(objects.pods.begin(),
                      std::make_move_iterator(daemons.begin()),
                      std::make_move_iterator(daemons.end()));
  return names;
}

PlacedObject CopyOf(World& world, const PlacedObject& pod, std::string name) {
  PlacedObject copy{.object = pod.object.Clone(), .place = pod.place};
  auto& value = copy.object.Mutable<core::Pod>();
  value.metadata.name = std::move(name);
  value.metadata.uid = NewUuid(world.random);
  value.spec.node_name.clear();
  value.status = {};
  return copy;
}

}  // namespace dray::planning::inline whatif
