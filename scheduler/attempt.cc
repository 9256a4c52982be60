// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt.h"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "api/claims/pod_groups.h"
#include "api/resource_v1/claim.h"
#include "dray/allocator.h"
#include "scheduler/neighbours.h"
#include "scheduler/victims.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

/// Where the search begins: at the nominated node, if there is one.
size_t FirstNode(std::span<const NodeState* const> nodes,
                 std::string_view nominated,
                 size_t otherwise) {
  if (nominated.empty()) return otherwise;
  const auto found = std::ranges::find_if(
      nodes, [&](const NodeState* node) { return node->value().metadata.name == nominated; });
  return found == nodes.end() ? otherwise : static_cast<size_t>(found - nodes.begin());
}

/// The nodes as the pod may use them. Members of one group are placed anew, wherever there was to
/// be room for them.
std::vector<const NodeState*> NodesFor(ClusterCache& cluster,
                                       const core_v1::Pod& pod,
                                       const PlacedSoFar* placed,
                                       std::deque<NodeState>& copies) {
  const std::string group = placed == nullptr ? std::string() : api::claims::PodGroupKeyOf(pod);
  std::vector<const NodeState*> nodes = cluster.use().NodesFor(
      pod,
      [&](std::string_view uid, std::string_view key) {
        if (cluster.IsAssumed(uid)) return true;
        const api::Object* nominee = group.empty() ? nullptr : cluster.FindPod(key);
        return nominee != nullptr &&
               api::claims::PodGroupKeyOf(nominee->As<core_v1::Pod>()) == group;
      },
      copies);
  if (placed != nullptr) placed->PutOn(nodes, copies);
  return nodes;
}

/// What rules about other pods may ask. `nodes` outlive it.
Neighbours NeighboursIn(const ClusterCache& cluster,
                        const PlacedSoFar* placed,
                        std::span<const NodeState* const> nodes,
                        allocator::SharedWork* work) {
  const auto find_pod = [&cluster](std::string_view key) { return cluster.FindPod(key); };
  const auto with_placed = [placed, nodes](std::vector<Neighbour> others) {
    if (placed != nullptr) placed->AddTo(others, nodes);
    return others;
  };
  return {
      .all = [=, &cluster] { return with_placed(cluster.use().Neighbours(find_pod)); },
      .with_rules_about =
          [=, &cluster](const core_v1::Pod& one) {
            return with_placed(cluster.use().NeighboursWithRulesAbout(one, find_pod));
          },
      .collection_of =
          [&cluster](const core_v1::Pod& one) { return cluster.collections().SelectorFor(one); },
      .labels_of_namespace =
          [&cluster](std::string_view name) {
            const api::Object* found = cluster.objects().namespaces.Find(name);
            return found == nullptr ? nullptr : &found->metadata().labels;
          },
      .work = work};
}

/// Who may have to go, unless a group is placed, which looks for victims as a whole.
void AddVictims(const ClusterCache& cluster, int32_t priority, ClusterView& view) {
  if (!MayHaveVictims(cluster, priority)) return;
  view.victims_on = [&cluster, priority](const std::string& node) {
    return VictimsOn(cluster, node, priority);
  };
  view.budgets = [&cluster] { return cluster.Budgets(); };
}

}  // namespace

Decision TryPod(ClusterCache& cluster,
                const core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const AttemptOptions& options) {
  const AsMember& member = options.member;
  const allocator::Snapshot& devices = cluster.Devices();
  std::deque<allocator::Attempt> attempts;
  std::deque<NodeState> copies;
  const std::vector<const NodeState*> nodes = NodesFor(cluster, pod, member.placed, copies);
  const std::vector<const NodeState*> candidates =
      member.domain == nullptr ? nodes : Among(nodes, *member.domain);
  const VolumeNeeds volumes = cluster.VolumeNeedsOf(pod);
  const size_t first = member.placed == nullptr ? options.first_node : member.placed->first_node();
  ClusterView view{
      .nodes = candidates,
      .neighbourhood = nodes,
      .first_node = FirstNode(candidates, pod.status.nominated_node_name, first),
      .in_flight = [&](std::string_view uid) { return cluster.taken().in_flight(uid); },
      .has_class =
          [&](std::string_view name) { return cluster.objects().classes.Find(name) != nullptr; },
      .search =
          [&](std::span<const Frozen<resource_v1::ResourceClaim>> wanted) {
            attempts.emplace_back(devices, wanted);
            return [&options, attempt = &attempts.back()](const core_v1::Node& node) {
              return attempt->Allocate(node, options.budget);
            };
          },
      .now = options.now,
      .neighbours = NeighboursIn(cluster, member.placed, nodes, options.budget.work),
      .volumes = &volumes,
      .spread_defaults = &options.profile.spread,
      .other_claims = options.others,
      .tells_too_much = options.tells_too_much};
  if (options.others != nullptr) view.first_node = 0;  // of equal ones the first by name
  if (member.search) view.search = member.search;
  if (member.only_node != nullptr)
    view.only_node = FirstNode(candidates, member.only_node->value().metadata.name, 0);
  if (member.placed == nullptr) AddVictims(cluster, pod.spec.priority.value_or(0), view);
  if (cluster.options().extended_resources) {
    view.class_of = [&](std::string_view resource) { return cluster.ClassOf(resource); };
    view.left_over = cluster.LeftOverOf(pod.metadata.uid);
  }
  if (const auto& of_nodes = cluster.node_allocatable(); !of_nodes.empty())
    view.node_allocatable = [&](const auto& result) { return of_nodes.Find(result); };
  CycleOptions cycle = options.cycle;
  if (cluster.options().features.device_binding_and_status)
    cycle.binding_timeout = options.profile.binding_timeout;
  return Decide(pod, claims, view, cycle);
}

}  // namespace dray::scheduler
