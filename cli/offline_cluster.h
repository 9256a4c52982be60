// SPDX-License-Identifier: Apache-2.0
// A cluster made of manifests, and the scheduler's decision about its pods, one after the other,
// each seeing what the ones before took.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/allocator.h"
#include "api/object.h"
#include "base/world.h"
#include "cli/manifests.h"
#include "scheduler/cycle.h"
#include "scheduler/devices.h"
#include "scheduler/node_filter.h"

namespace dray::cli {

/// What came of one pod, or of one claim no pod uses.
struct OfflineAnswer {
  std::string what;                 // "pod default/trainer-0", "claim default/single-gpu"
  std::string node;                 // where it fits; empty when nowhere
  std::string reason;               // why it does not; empty when it does
  std::vector<api::Object> claims;  // with their allocations, when it fits
};

class OfflineCluster {
 public:
  /// Takes what it knows from the manifests; pods and claims keep their order. Nodes that only
  /// slices name exist with nothing but that name; without any node there is one called "node".
  OfflineCluster(World& world, const Manifests& manifests);

  /// What was passed over, and where it stands: objects of resource.k8s.io that take no part.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Decides for every pod in order, then for every claim that is still without devices.
  /// `only_node`: empty, or the one node to look at.
  std::vector<OfflineAnswer> AllocateAll(const std::string& only_node);

 private:
  void AddNode(api::Object node);
  void PrepareClaims(api::core_v1::Pod& pod);
  OfflineAnswer AllocatePod(const api::Object& pod);
  OfflineAnswer AllocateClaim(const std::string& key);
  /// Writes what the scheduler would: the allocation, if it is new, and the pod's reservation.
  void Keep(const std::string& key,
            const api::Object& pod,
            const std::optional<api::resource_v1::AllocationResult>& result);
  Result<allocator::Outcome> Search(
      const api::core_v1::Node& node,
      std::span<const Frozen<api::resource_v1::ResourceClaim>> claims) const;
  std::vector<const scheduler::NodeState*> NodesInOrder() const;

  World& world_;
  std::map<std::string, scheduler::NodeState> nodes_;
  std::map<std::string, api::Object> claims_;  // by namespace/name
  std::vector<std::string> claim_order_;
  std::map<std::string, api::Object> templates_;  // by namespace/name
  std::vector<api::Object> pods_;
  Frozen<allocator::Inventory> inventory_;
  std::shared_ptr<cel::SelectorCache> selectors_;
  scheduler::TakenDevices taken_;
  std::string only_node_;
  std::vector<std::string> notes_;
};

}  // namespace dray::cli
