// SPDX-License-Identifier: Apache-2.0
#include "planning/what_if.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "controllers/claim_sync.h"
#include "manifests/spelling.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

/// The pod uses its claims no more; those that nobody else uses lose their devices, and those made
/// for the pod go with it.
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

bool IsOfDaemonSet(const api::meta_v1::ObjectMeta& metadata) {
  return std::ranges::any_of(metadata.owner_references,
                             [](const auto& owner) { return owner.kind == "DaemonSet"; });
}

Result<> CheckNode(const OfflineObjects& objects, const std::string& node) {
  if (objects.nodes.contains(node)) return {};
  std::vector<std::string> known;
  known.reserve(objects.nodes.size());
  for (const auto& [name, object] : objects.nodes) known.push_back(name);
  return Fail(StatusReason::kBadRequest,
              fmt::format("no node {} in the input; {}", node, manifests::KnownNames(node, known)));
}

std::string NameOfCopy(const std::string& node, size_t number) {
  return fmt::format("{}-more-{}", node, number);
}

/// The names that `text` has of the node are those of the copy's.
std::string Renamed(const std::string& text, const std::string& node, const std::string& copy) {
  const size_t at = text.find(node);
  if (at == std::string::npos) return copy + "-" + text;
  return text.substr(0, at) + copy + text.substr(at + node.size());
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
  return Fail(
      StatusReason::kBadRequest,
      fmt::format("no {} {} in the input; {}", kind, name, manifests::KnownNames(name, known)));
}

Result<std::vector<std::string>> Drain(OfflineObjects& objects, const std::string& node) {
  DRAY_TRY_VOID(CheckNode(objects, node));
  api::Object cordoned = objects.nodes.at(node).Clone();
  cordoned.Mutable<core::Node>().spec.unschedulable = true;
  objects.nodes.at(node) = std::move(cordoned);
  std::vector<std::string> moved;
  for (PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (pod.spec.node_name != node || controllers::IsDone(pod) || IsOfDaemonSet(pod.metadata))
      continue;
    GiveBackClaims(objects, pod.metadata.uid);
    moved.push_back("pod " + api::ObjectKey(pod.metadata));
    api::Object waiting = placed.object.Clone();
    waiting.Mutable<core::Pod>().spec.node_name.clear();
    placed.object = std::move(waiting);
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

Result<> AddNodesLike(OfflineObjects& objects, const std::string& node, size_t count) {
  DRAY_TRY_VOID(CheckNode(objects, node));
  if (count > kCopiesMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} nodes more: at most {}", count, kCopiesMax));
  }
  const std::vector<Frozen<v1::ResourceSlice>> slices = objects.slices;
  for (size_t i = 0; i < count; ++i) {
    const std::string copy = NameOfCopy(node, i);
    api::Object added = objects.nodes.at(node).Clone();
    auto& metadata = added.Mutable<core::Node>().metadata;
    metadata.name = copy;
    metadata.labels.insert_or_assign("kubernetes.io/hostname", copy);
    added.Mutable<core::Node>().spec.unschedulable = false;
    objects.nodes.insert_or_assign(copy, std::move(added));
    for (const auto& slice : slices) {
      if (slice->spec.node_name != node) continue;
      auto like = std::make_shared<v1::ResourceSlice>(*slice);
      like->metadata.name = Renamed(slice->metadata.name, node, copy);
      like->spec.pool.name = Renamed(slice->spec.pool.name, node, copy);
      like->spec.node_name = copy;
      objects.slices.push_back(std::move(like));
    }
  }
  return {};
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

}  // namespace dray::planning
