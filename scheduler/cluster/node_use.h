// SPDX-License-Identifier: Apache-2.0
// The nodes with the use by their pods and with the pods that are nominated for them. Updated with
// every change of a pod, so an attempt does not iterate over pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/taint.h"
#include "api/object.h"
#include "base/frozen.h"
#include "scheduler/cluster/affinity_index.h"
#include "scheduler/cluster/affinity_rules.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cluster/pod_on_node.h"

namespace dray::scheduler::inline cluster {

/// The nodes as one pod may use them, in name order.
struct NodesForPod {
  std::span<const NodeState* const> nodes;
  std::vector<const NodeState*> list = {};  // of `nodes`, if some are copies
  std::deque<NodeState> copies = {};        // the nodes that differ for this pod

  /// Makes `list` the nodes, so that some can be replaced.
  std::vector<const NodeState*>& Own() {
    if (list.empty()) list.assign(nodes.begin(), nodes.end());
    nodes = list;
    return list;
  }
};

/// Not thread-safe. Names the contents of its nodes' states (NodeState::version); no content of a
/// copy of it has the same name.
class NodeUse {
 public:
  using TakenByDevices = std::span<const api::core_v1::NodeAllocatableResourceClaimStatus>;

  /// Records the current state of a node; null: the node is gone. A node that comes back under its
  /// name gets its pods back.
  void SetNode(const std::string& name, const api::Object* node);
  /// Records a node with use by pods that are not known themselves.
  void SetState(const NodeState& state);
  /// In name order. Valid until the next SetNode.
  const std::vector<const NodeState*>& nodes();
  /// The different PreferNoSchedule taints of the nodes. Valid until the next SetNode.
  std::span<const api::core_v1::Taint> soft_taints() const { return soft_taints_; }

  /// Counts the pod on the node, where its devices take `taken`, until the pod is dropped or set on
  /// another node. `rules`: the pod's; if the pod has rules and this is null, the pod must stay
  /// alive until then.
  void SetPod(const api::core_v1::Pod& pod,
              const std::string& node,
              TakenByDevices taken,
              Frozen<AffinityRules> rules = nullptr);
  bool IsOn(std::string_view uid, std::string_view node) const;
  /// False: the pod was on no node.
  bool DropPod(std::string_view uid);

  /// A copy without these pods. O(nodes + pods).
  NodeUse Without(std::span<const Victim> victims) const;

  /// Records the node for which the pod is nominated, if any.
  void SetNominee(const api::core_v1::Pod& pod);
  void DropNominee(std::string_view uid);

  /// nodes() as `pod` may use them. Pods nominated for a node count there, unless they are less
  /// important than `pod` or counted elsewhere already (`is_counted`, called with uid and key).
  /// Valid until the next change. O(nominees), and O(nodes) if some of them count.
  NodesForPod NodesFor(
      const api::core_v1::Pod& pod,
      const std::function<bool(std::string_view uid, std::string_view key)>& is_counted);

  /// The pods on nodes, or only those whose rules may match `pod`. `find_pod` takes
  /// "namespace/name". Valid until the next change. O(pods), or O(result).
  std::vector<Neighbour> Neighbours(const api::claims::Lookup& find_pod) const;
  std::vector<Neighbour> NeighboursWithRulesAbout(const api::core_v1::Pod& pod,
                                                  const api::claims::Lookup& find_pod) const;

  /// Whether any pod on any node has a lower priority.
  bool HasLessImportant(int32_t priority) const {
    return !priorities_.empty() && priorities_.begin()->first < priority;
  }
  /// The pods on the node, in the order of their uids. `find_pod` takes "namespace/name". Valid
  /// until the next change.
  std::vector<PodOnNode> PodsOn(std::string_view node, const api::claims::Lookup& find_pod) const;
  /// The pod with this uid, on any node; absent: it is on no node.
  std::optional<PodOnNode> Find(std::string_view uid, const api::claims::Lookup& find_pod) const;

 private:
  struct Use {
    std::string node;
    Amounts requests;
    Presumed presumed = {};
    std::vector<HostPort> ports = {};
    std::string key;  // of the pod
    int32_t priority = 0;
    Frozen<AffinityRules> rules = nullptr;
  };

  void Count(const Use& use, int64_t sign);
  void NameContentOf(NodeState& state) { state.version.number = ++*contents_named_; }
  void AddState(NodeState& state);
  void CountSoftTaints(const NodeState& state, int64_t sign);
  void AddNeighbour(const std::string& uid,
                    const Use& use,
                    const api::claims::Lookup& find_pod,
                    std::vector<Neighbour>& neighbours) const;

  std::shared_ptr<uint64_t> contents_named_ = std::make_shared<uint64_t>(0);  // also by copies
  std::vector<uint32_t> free_slots_;  // of nodes that are gone
  std::map<std::string, NodeState, std::less<>> nodes_;
  std::vector<api::core_v1::Taint> soft_taints_;
  std::vector<int64_t> soft_taint_nodes_;  // the number of nodes with each of them
  std::vector<const NodeState*> list_;
  bool is_list_old_ = true;
  std::map<std::string, Use, std::less<>> used_;                            // by uid
  std::map<std::string, std::set<std::string>, std::less<>> pods_by_node_;  // uids
  AffinityIndex rules_;                                                     // of the pods
  std::map<int32_t, size_t> priorities_;              // number of pods on nodes
  std::map<std::string, Use, std::less<>> nominees_;  // by uid
};

}  // namespace dray::scheduler::inline cluster
