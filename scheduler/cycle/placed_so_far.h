// SPDX-License-Identifier: Apache-2.0
// The pods of a group that an attempt has placed already. The next pod of the group sees the
// cluster as if they were on their nodes.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "scheduler/cluster/devices.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cycle/cycle.h"

namespace dray::scheduler::inline cycle {

/// A pod of a group that waits for a node.
struct GroupMember {
  api::Object pod;
  std::vector<api::Object> claims;  // from ResolveClaims
  /// The consumer that each of them is reserved for (ConsumersOf).
  std::vector<api::resource_v1::ResourceClaimConsumerReference> consumers;

  const api::core_v1::Pod& value() const { return pod.As<api::core_v1::Pod>(); }
};

/// The name under which the devices of a claim are held before they are written. A claim for
/// extended resources has no uid yet, but a pod has only one such claim at a time.
std::string HoldOf(const api::core_v1::Pod& pod, const api::resource_v1::ResourceClaim& claim);

/// The pods that an attempt has placed, and their effect on devices and nodes. Its destructor
/// releases its holds in `taken`. Not thread-safe.
class PlacedSoFar {
 public:
  /// `taken` must outlive it.
  PlacedSoFar(TakenDevices& taken, size_t first_node) : taken_(taken), first_node_(first_node) {}
  ~PlacedSoFar() { TakeBack(); }
  PlacedSoFar(const PlacedSoFar&) = delete;
  PlacedSoFar& operator=(const PlacedSoFar&) = delete;

  /// The claims of a pod, with allocations that the attempt has chosen for earlier pods. Pods of
  /// one attempt share allocations that are not written yet.
  std::vector<api::Object> AsSeen(std::span<const api::Object> claims) const;
  /// Replaces nodes that have placed pods by copies that include those pods. O(nodes), if there are
  /// such.
  void PutOn(NodesForPod& nodes) const;
  /// Adds the placed pods on `nodes` for rules about other pods. Valid until the next change.
  void AddTo(std::vector<Neighbour>& neighbours, std::span<const NodeState* const> nodes) const;
  size_t first_node() const { return first_node_; }

  void Place(const GroupMember& member, const Placement& placement);
  /// Undoes the placement of a member. No other member may rely on allocations that it chose.
  void Remove(const GroupMember& member, const Placement& placement);
  /// Releases the devices of a claim, by HoldOf, for a while; they are held again later.
  void LetGo(const std::string& hold) { taken_.Unreserve(hold); }
  void HoldAgain(const std::string& hold, const api::resource_v1::AllocationResult& allocation) {
    (void)taken_.Reserve(hold, allocation);
  }
  /// Replaces the allocation chosen for a claim.
  void Choose(std::string_view claim_uid, const api::resource_v1::AllocationResult& allocation);
  /// Undoes all placements.
  void TakeBack();
  /// The chosen allocations, by uid of the claim.
  std::map<std::string, api::resource_v1::AllocationResult> Chosen() const;

 private:
  TakenDevices& taken_;
  size_t first_node_;
  struct Load {
    api::Object pod;
    Amounts requests;
    Presumed presumed;
    std::vector<HostPort> ports;
  };
  std::map<std::string, std::vector<Load>, std::less<>> loads_;  // by node
  std::map<std::string, api::Object, std::less<>> allocated_;  // by uid, as later members see them
  std::set<std::string> holds_;
};

}  // namespace dray::scheduler::inline cycle
