// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/attempt.h"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "api/claims/pod_groups.h"
#include "api/resource_v1/claim.h"
#include "dray/allocator.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/preemption/victims.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

/// The index of the nominated node, if there is one.
size_t FirstNode(std::span<const NodeState* const> nodes,
                 std::string_view nominated,
                 size_t otherwise) {
  if (nominated.empty()) return otherwise;
  const auto found = std::ranges::find_if(
      nodes, [&](const NodeState* node) { return node->value().metadata.name == nominated; });
  return found == nodes.end() ? otherwise : static_cast<size_t>(found - nodes.begin());
}

/// The nodes as the pod may use them. For members of a group, their own nominations do not count,
/// because the attempt places all of them anew.
NodesForPod NodesFor(ClusterCache& cluster, const core_v1::Pod& pod, const PlacedSoFar* placed) {
  const std::string group = placed == nullptr ? std::string() : api::claims::PodGroupKeyOf(pod);
  NodesForPod nodes = cluster.use().NodesFor(pod, [&](std::string_view uid, std::string_view key) {
    if (cluster.IsAssumed(uid)) return true;
    const api::Object* nominee = group.empty() ? nullptr : cluster.FindPod(key);
    return nominee != nullptr && api::claims::PodGroupKeyOf(nominee->As<core_v1::Pod>()) == group;
  });
  if (placed != nullptr) placed->PutOn(nodes);
  return nodes;
}

/// The input for rules about other pods. `nodes` must outlive it.
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

/// Owns a ClusterView for one attempt, with everything that the view refers to. Not movable.
class AttemptView {
 public:
  AttemptView(ClusterCache& cluster,
              const core_v1::Pod& pod,
              std::span<const api::Object> claims,
              const AttemptOptions& options)
      : cluster_(cluster),
        pod_(pod),
        claims_(claims),
        options_(options),
        devices_(cluster.Devices()),
        nodes_(NodesFor(cluster, pod, options.member.placed)),
        in_domain_(options.member.domain == nullptr ? std::vector<const NodeState*>()
                                                    : Among(nodes_.nodes, *options.member.domain)),
        candidates_(options.member.domain == nullptr ? nodes_.nodes : std::span(in_domain_)),
        volumes_(VolumeNeedsOf(pod, cluster)),
        cycle_(options.cycle) {
    if (cluster.options().features.device_binding_and_status)
      cycle_.binding_timeout = options.profile.binding_timeout;
    FillView();
    ChooseFirst();
    if (options.member.placed == nullptr) AddVictims();
    AddExtendedResources();
  }
  AttemptView(const AttemptView&) = delete;
  AttemptView& operator=(const AttemptView&) = delete;
  ~AttemptView() = default;

  Decision Decide() const { return scheduler::Decide(pod_, claims_, view_, cycle_); }
  std::vector<std::string> Objections() const {
    return scheduler::Objections(pod_, claims_, view_, cycle_);
  }

 private:
  void FillView() {
    view_ = {
        .nodes = candidates_,
        .neighbourhood = nodes_.nodes,
        .in_flight = [this](auto uid) { return cluster_.taken().in_flight(uid); },
        .has_class = [this](auto name) { return cluster_.objects().classes.Find(name) != nullptr; },
        .search = options_.member.search ? options_.member.search
                                         : [this](auto wanted) { return BeginSearch(wanted); },
        .now = options_.now,
        .neighbours =
            NeighboursIn(cluster_, options_.member.placed, nodes_.nodes, options_.budget.work),
        .volumes = &volumes_,
        .spread_defaults = &options_.profile.spread,
        .other_claims = options_.others,
        .soft_taints = cluster_.use().soft_taints(),
        .verdicts = options_.verdicts,
        .too_much_is_unresolvable = options_.too_much_is_unresolvable};
  }

  DevicesOnNode BeginSearch(std::span<const Frozen<resource_v1::ResourceClaim>> wanted) {
    attempts_.emplace_back(devices_, wanted);
    return [this, attempt = &attempts_.back()](const core_v1::Node& node) {
      return attempt->Allocate(node, options_.budget);
    };
  }

  void ChooseFirst() {
    const AsMember& member = options_.member;
    if (options_.others == nullptr) {  // otherwise the first of equal nodes by name
      const size_t next =
          member.placed == nullptr ? options_.first_node : member.placed->first_node();
      view_.first_node = FirstNode(candidates_, pod_.status.nominated_node_name, next);
    }
    if (member.only_node != nullptr)
      view_.only_node = FirstNode(candidates_, member.only_node->value().metadata.name, 0);
  }

  /// Enables preemption. A group looks for victims as a whole instead.
  void AddVictims() {
    const int32_t priority = pod_.spec.priority.value_or(0);
    if (!MayHaveVictims(cluster_, priority)) return;
    view_.victims_on = [this, priority](const std::string& node) {
      return VictimsOn(cluster_, node, priority);
    };
    view_.budgets = [this] { return BudgetsIn(cluster_.objects()); };
  }

  void AddExtendedResources() {
    if (cluster_.options().extended_resources) {
      view_.class_of = [this](std::string_view resource) { return cluster_.ClassOf(resource); };
      view_.left_over = cluster_.indexes().LeftOverOf(pod_.metadata.uid);
    }
    if (cluster_.node_allocatable().empty()) return;
    view_.node_allocatable = [this](const auto& result) {
      return cluster_.node_allocatable().Find(result);
    };
  }

  ClusterCache& cluster_;
  const core_v1::Pod& pod_;
  const std::span<const api::Object> claims_;
  const AttemptOptions& options_;
  const allocator::Snapshot& devices_;
  const NodesForPod nodes_;
  const std::vector<const NodeState*> in_domain_;
  const std::span<const NodeState* const> candidates_;
  const VolumeNeeds volumes_;
  CycleOptions cycle_;
  std::deque<allocator::Attempt> attempts_;
  ClusterView view_;
};

}  // namespace

Decision TryPod(ClusterCache& cluster,
                const core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const AttemptOptions& options) {
  return AttemptView(cluster, pod, claims, options).Decide();
}

std::vector<std::string> NodeObjections(ClusterCache& cluster,
                                        const core_v1::Pod& pod,
                                        std::span<const api::Object> claims,
                                        const AttemptOptions& options) {
  return AttemptView(cluster, pod, claims, options).Objections();
}

}  // namespace dray::scheduler::inline cycle
