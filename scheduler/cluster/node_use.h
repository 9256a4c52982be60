// SPDX-License-Identifier: Apache-2.0
// The nodes with what their pods use, and with those for which room is being made there. Kept up
// with every change of a pod, so no attempt walks the pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/published.h"
#include "scheduler/cluster/affinity_index.h"
#include "scheduler/cluster/affinity_rules.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cluster/pod_on_node.h"

namespace dray::scheduler::inline cluster {

/// One thread.
class NodeUse {
 public:
  using TakenByDevices = std::span<const api::core_v1::NodeAllocatableResourceClaimStatus>;

  /// The node is now as `node` says; null: it is gone. One that comes back under its name finds its
  /// pods.
  void SetNode(const std::string& name, const api::Object* node);
  /// The node is known with what pods use of it that are not known themselves.
  void SetState(const NodeState& state);
  /// In name order. Valid until the next SetNode.
  const std::vector<const NodeState*>& nodes();

  /// The pod is, or is about to be, on the node, where its devices take `taken`. That stands until
  /// it is dropped or set on another node. `rules`: the pod's; if it has some and this is null, the
  /// pod outlives its being here.
  void SetPod(const api::core_v1::Pod& pod,
              const std::string& node,
              TakenByDevices taken,
              Frozen<AffinityRules> rules = nullptr);
  bool IsOn(std::string_view uid, std::string_view node) const;
  /// False: it was on none.
  bool DropPod(std::string_view uid);

  /// The same without these pods. O(nodes + pods).
  NodeUse Without(std::span<const Victim> victims) const;

  /// Remembers for which node the pod waits, if it waits for one.
  void SetNominee(const api::core_v1::Pod& pod);
  void DropNominee(std::string_view uid);

  /// nodes() as `pod` may use them: with the pods for which room is being made there, unless they
  /// are less important, or counted elsewhere already (`is_counted`, asked with uid and key).
  /// `copies` holds the nodes concerned. O(nodes + nominees).
  std::vector<const NodeState*> NodesFor(
      const api::core_v1::Pod& pod,
      const std::function<bool(std::string_view uid, std::string_view key)>& is_counted,
      std::deque<NodeState>& copies);

  /// The pods on nodes, or those of them with rules that may be about `pod`. `find_pod` looks by
  /// "namespace/name". Valid until the next change. O(pods), or O(those).
  std::vector<Neighbour> Neighbours(const api::claims::Lookup& find_pod) const;
  std::vector<Neighbour> NeighboursWithRulesAbout(const api::core_v1::Pod& pod,
                                                  const api::claims::Lookup& find_pod) const;

  /// Whether any pod on any node is less important than that.
  bool HasLessImportant(int32_t priority) const {
    return !priorities_.empty() && priorities_.begin()->first < priority;
  }
  /// The pods on the node, in the order of their uids. `find_pod` looks by "namespace/name". Valid
  /// until the next change.
  std::vector<PodOnNode> PodsOn(std::string_view node, const api::claims::Lookup& find_pod) const;
  /// One of those, wherever it is; nothing if it is on no node.
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
  void AddNeighbour(const std::string& uid,
                    const Use& use,
                    const api::claims::Lookup& find_pod,
                    std::vector<Neighbour>& neighbours) const;

  std::map<std::string, NodeState, std::less<>> nodes_;
  std::vector<const NodeState*> list_;
  bool is_list_old_ = true;
  std::map<std::string, Use, std::less<>> used_;                            // by uid
  std::map<std::string, std::set<std::string>, std::less<>> pods_by_node_;  // uids
  AffinityIndex rules_;                                                     // of pods about others
  std::map<int32_t, size_t> priorities_;              // of pods on nodes, how many have each
  std::map<std::string, Use, std::less<>> nominees_;  // by uid
};

}  // namespace dray::scheduler::inline cluster
