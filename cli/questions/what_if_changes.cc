// SPDX-License-Identifier: Apache-2.0
#include "cli/questions/what_if_changes.h"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "base/try.h"
#include "cli/input/live_input.h"
#include "manifests/objects.h"
#include "node/profile.h"
#include "planning/whatif/what_if.h"

namespace dray::cli::inline questions {
namespace {

struct ChangeOption {
  ChangeKind kind;
  const char* synopsis;
  const char* help;
};
constexpr ChangeOption kChanges[] = {
    {ChangeKind::kDelete, "--delete KIND/NAME", "a pod (pod/NAME) or claim (claim/NAME) is gone"},
    {ChangeKind::kDrain, "--drain NODE", "the node's pods have to find another node"},
    {ChangeKind::kRemoveNode,
     "--remove-node NODE",
     "the same, and the node's devices are gone too"},
    {ChangeKind::kAddNodes,
     "--add-nodes NODE=COUNT",
     "COUNT more nodes like NODE, or of a profile of dray serve: example, 8-gpu-server"},
    {ChangeKind::kLike, "--like NODE", "one more node like that one, unused"},
    {ChangeKind::kTaint,
     "--taint WHAT=TAINT",
     "node/NAME or device/DRIVER[/POOL[/DEVICE]] has the taint KEY[=VALUE]:EFFECT"},
    {ChangeKind::kUpgradeDriver,
     "--upgrade-driver FILE",
     "the ResourceSlices in the file replace those of their drivers"}};

/// "node=3".
Result<std::pair<std::string, size_t>> NodeAndCount(const std::string& text) {
  const size_t equals = text.rfind('=');
  size_t count = 0;
  const char* const end = text.data() + text.size();
  const bool is_read = equals != std::string::npos && equals > 0 &&
                       std::from_chars(text.data() + equals + 1, end, count).ptr == end &&
                       equals + 1 < text.size();
  if (is_read) return std::pair(text.substr(0, equals), count);
  return Fail(StatusReason::kBadRequest, fmt::format("--add-nodes: {:?} is not NODE=COUNT", text));
}

/// Pods that a change displaces.
using Moved = Result<std::vector<std::string>>;

/// Errors: kBadRequest  `count` nodes are more than `room`.
Result<> CheckRoom(size_t count, size_t room) {
  if (count <= room) return {};
  return Fail(StatusReason::kBadRequest,
              fmt::format("the changes add too many nodes: {} more are allowed here", room));
}

/// Adds `room` nodes at most.
Result<> AddNodes(World& world,
                  const std::string& text,
                  size_t room,
                  planning::OfflineObjects& objects) {
  DRAY_TRY(const auto added, NodeAndCount(text));
  const auto& [name, count] = added;
  DRAY_TRY_VOID(CheckRoom(count, room));
  if (objects.nodes.contains(name) || !node::HasProfile(name)) {
    return planning::AddNodesLike(objects, name, count);
  }
  if (count > planning::kCopiesMax) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} nodes more: at most {}", count, planning::kCopiesMax));
  }
  size_t made = 0;
  for (size_t number = 0; made < count; ++number) {
    DRAY_TRY(node::SimulatedNode simulated, node::MakeNode(name, number));
    if (objects.nodes.contains(simulated.node.metadata.name)) continue;
    std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
    slices.reserve(simulated.slices.size());
    for (auto& slice : simulated.slices) {
      slices.push_back(api::FrozenOf<api::resource_v1::ResourceSlice>(
          planning::AsStored(world, api::Object::Of(std::move(slice)), kDefaultNamespace)));
    }
    DRAY_TRY_VOID(planning::AddNode(
        objects,
        planning::AsStored(world, api::Object::Of(std::move(simulated.node)), kDefaultNamespace),
        std::move(slices)));
    ++made;
  }
  return {};
}

bool AddsNodes(ChangeKind kind) {
  return kind == ChangeKind::kLike || kind == ChangeKind::kAddNodes;
}

Moved UpgradeDriver(World& world,
                    const Change& change,
                    const ChangeRules& rules,
                    planning::OfflineObjects& objects) {
  const api::Scheme scheme;
  DRAY_TRY(manifests::Manifests read,
           change.is_inline ? manifests::ReadManifestText(change.text,
                                                          "upgradeDriver",
                                                          scheme,
                                                          rules.objects_max,
                                                          manifests::UnknownKinds::kSkipped)
                            : manifests::ReadManifests(world.disk, scheme, {&change.text, 1}));
  Moved moved = planning::UpgradeDriver(
      objects, planning::SortManifests(world, std::move(read), rules.default_namespace).slices);
  if (moved) return moved;
  const std::string which =
      change.is_inline ? "upgradeDriver" : fmt::format("--upgrade-driver {}", change.text);
  return Fail(moved.error().reason, fmt::format("{}: {}", which, moved.error().message));
}

Moved Apply(World& world,
            const Change& change,
            const ChangeRules& rules,
            size_t room,  // for new nodes
            planning::OfflineObjects& objects) {
  const std::string& namespace_ = rules.default_namespace;
  switch (change.kind) {
    case ChangeKind::kDelete:
      DRAY_TRY_VOID(planning::Delete(objects, change.text, namespace_));
      return std::vector<std::string>();
    case ChangeKind::kDrain: return planning::Drain(objects, change.text);
    case ChangeKind::kRemoveNode: return planning::RemoveNode(objects, change.text);
    case ChangeKind::kTaint: {
      Moved moved = planning::AddTaint(objects, change.text);
      if (moved) return moved;
      return Fail(moved.error().reason, fmt::format("--taint: {}", moved.error().message));
    }
    case ChangeKind::kUpgradeDriver: return UpgradeDriver(world, change, rules, objects);
    case ChangeKind::kLike:
    case ChangeKind::kAddNodes: break;
  }
  std::set<std::string> before;
  for (const auto& [name, node] : objects.nodes) before.insert(name);
  if (change.kind == ChangeKind::kLike) {
    DRAY_TRY_VOID(CheckRoom(1, room));
    DRAY_TRY_VOID(planning::AddNodesLike(objects, change.text, 1));
  } else {
    DRAY_TRY_VOID(AddNodes(world, change.text, room, objects));
  }
  const std::string like = change.text.substr(0, change.text.rfind('='));
  return planning::AddDaemons(world, objects, before, like);
}

}  // namespace

void AddChangeOptions(Command& command, std::vector<Change>& changes) {
  for (const ChangeOption& change : kChanges) {
    command
        .Texts(
            change.synopsis,
            [&changes, kind = change.kind](const std::string& text) {
              changes.push_back({.kind = kind, .text = text});
            },
            fmt::format("{}; repeatable", change.help))
        .InGroup("Changes, in the order given");
  }
}

Result<Changed> MakeChanges(World& world,
                            std::span<const Change> changes,
                            const ChangeRules& rules,
                            planning::OfflineObjects& objects) {
  std::map<std::string, std::string> nodes;
  for (const planning::PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<api::core_v1::Pod>();
    if (!pod.spec.node_name.empty())
      nodes.emplace("pod " + api::ObjectKey(pod.metadata), pod.spec.node_name);
  }
  Changed changed;
  size_t added = 0;  // nodes
  for (const Change& change : changes) {
    const size_t before = objects.nodes.size();
    DRAY_TRY(const std::vector<std::string> pods,
             Apply(world, change, rules, rules.nodes_max - added, objects));
    if (AddsNodes(change.kind)) added += objects.nodes.size() - before;
    (AddsNodes(change.kind) ? changed.daemons : changed.moved).insert(pods.begin(), pods.end());
  }
  for (const std::string& pod : changed.moved) {
    if (const auto node = nodes.find(pod); node != nodes.end()) changed.nodes_before.insert(*node);
  }
  return changed;
}

}  // namespace dray::cli::inline questions
