// SPDX-License-Identifier: Apache-2.0
// The pods of a group that an attempt has placed already: the next pod of the group sees the
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
  std::vector<api::Object> claims;  // of ResolveClaims
  /// For whom each of them is kept (ConsumersOf).
  std::vector<api::resource_v1::ResourceClaimConsumerReference> consumers;

  const api::core_v1::Pod& value() const { return pod.As<api::core_v1::Pod>(); }
};

/// By what name the devices of a claim are held before they are written: the claim for extended
/// resources has no uid yet, and a pod has one such claim at a time.
std::string HoldOf(const api::core_v1::Pod& pod, const api::resource_v1::ResourceClaim& claim);

/// The pods that an attempt has placed: what their devices and nodes look like to the next one.
/// What it holds in `taken` is taken back when it ends. One thread.
class PlacedSoFar {
 public:
  /// `taken` outlives it.
  PlacedSoFar(TakenDevices& taken, size_t first_node) : taken_(taken), first_node_(first_node) {}
  ~PlacedSoFar() { TakeBack(); }
  PlacedSoFar(const PlacedSoFar&) = delete;
  PlacedSoFar& operator=(const PlacedSoFar&) = delete;

  /// The claims of a pod, allocated where a pod before has chosen devices for them: pods of one
  /// attempt share what is not written yet.
  std::vector<api::Object> AsSeen(std::span<const api::Object> claims) const;
  /// Puts the pods on the nodes of a list; `copies` holds those concerned.
  void PutOn(std::vector<const NodeState*>& nodes, std::deque<NodeState>& copies) const;
  /// The same for rules about other pods. Valid until the next change.
  void AddTo(std::vector<Neighbour>& neighbours, std::span<const NodeState* const> nodes) const;
  size_t first_node() const { return first_node_; }

  void Place(const GroupMember& member, const Placement& placement);
  /// Undoes that. What it chose for claims must not be relied on by others.
  void Remove(const GroupMember& member, const Placement& placement);
  /// Devices of a claim, by HoldOf: free for a while, then held again.
  void LetGo(const std::string& hold) { taken_.Unreserve(hold); }
  void HoldAgain(const std::string& hold, const api::resource_v1::AllocationResult& allocation) {
    (void)taken_.Reserve(hold, allocation);
  }
  /// Another choice for a claim of which there is one.
  void Choose(std::string_view claim_uid, const api::resource_v1::AllocationResult& allocation);
  /// As if nothing had been placed.
  void TakeBack();
  /// What was chosen for claims, by uid.
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
  std::map<std::string, api::Object, std::less<>> allocated_;  // claims by uid, as seen from now on
  std::set<std::string> holds_;
};

}  // namespace dray::scheduler::inline cycle
