// SPDX-License-Identifier: Apache-2.0
// Counts how many devices of a cluster pass which steps for each request, and why the others are
// rejected. Each device counts once, alone, at the latest step it reaches on any node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "allocator/rules/plan.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "cel/selector_cache.h"
#include "dray/allocated_state.h"
#include "dray/device_id.h"
#include "dray/features.h"
#include "dray/snapshot.h"
#include "planning/explain/device_steps.h"
#include "planning/explain/holders.h"
#include "planning/explain/missing_names.h"
#include "planning/explain/survey.h"
#include "planning/objects/name_census.h"

namespace dray::planning::inline explain {

/// The devices' values of a name that a condition reads, most frequent first.
struct NameValues {
  cel::DeviceName name;
  std::vector<Counted> values;
};

/// Devices rejected at one step for one reason.
struct Removal {
  Step step = Step::kElsewhere;
  std::string text = {};   // kClass, kSelectors: the condition; may be empty
  std::string error = {};  // of a condition that fails instead of being false
  size_t devices = 0;
  std::vector<NameValues> have = {};      // of a condition
  std::vector<MissingName> missing = {};  // names that none of these devices has
};

/// One way to satisfy a request: the request itself, or an alternative of it.
struct Funnel {
  std::string claim;         // namespace/name
  std::string request;       // "request" or "request/alternative"
  size_t claim_index = 0;    // among the claims asked about
  size_t request_index = 0;  // in the claim
  size_t alternative = 0;
  std::string device_class;
  bool wants_all = false;
  bool is_admin = false;
  int64_t wanted = 0;  // unless all
  size_t devices = 0;  // in the cluster
  StepCounts counts = {};
  std::vector<Removal> removals = {};  // by step, then most devices first
};

/// The devices of one node for one way. Devices of other nodes are not counted.
struct NodeFunnel {
  StepCounts counts = {};
  int64_t wanted = 0;  // if all: how many those are here, at least one

  int64_t usable() const { return static_cast<int64_t>(counts.back()); }
  int64_t missing() const { return wanted - usable(); }
  /// The step after which fewer than wanted are left; kUsable: enough are left.
  Step bottleneck() const;
};

/// A device of a node, and the step that rejects it.
struct FallenDevice {
  allocator::DeviceId device;
  Fall fall;
  const api::resource_v1::ResourceSlice* slice = nullptr;
  const api::resource_v1::Device* published = nullptr;
};

/// Counts for the claims of one question. Not thread-safe.
class FunnelCounter {
 public:
  /// Errors: the claims are wrong for any node, in the allocator's words.
  static Result<std::unique_ptr<FunnelCounter>> Of(
      const allocator::Snapshot& snapshot,
      std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
      const Holders& holders);

  /// The number of ways of all requests, in order; `way` arguments are indexes of these.
  size_t ways() const { return judges_.size(); }

  /// Counts a node that may be used. Returns one funnel per way. Errors: a node selector is
  /// invalid.
  Result<std::vector<NodeFunnel>> Add(const api::core_v1::Node& node);
  /// The node's devices for one way. Errors: as Add.
  Result<std::vector<FallenDevice>> DevicesOn(const api::core_v1::Node& node, size_t way);

  /// Call after the last node.
  std::vector<Funnel> Finish();
  const allocator::AllocatedState& state() const { return state_; }
  const DeviceJudge& judge(size_t way) const { return judges_[way]; }

 private:
  struct Known {
    Step step = Step::kElsewhere;
    uint32_t removal = UINT32_MAX;  // in Funnel::removals
  };

  FunnelCounter(const allocator::Snapshot& snapshot, const Holders& holders);
  void AddWays(const allocator::rules::ClaimPlan& plan, size_t claim);
  void NumberSlices();
  void AddPool(const allocator::rules::Pool& pool,
               std::string_view node,
               std::vector<NodeFunnel>& counts);
  void AddDevices(const allocator::rules::Pool& pool,
                  NodeDevices& devices,
                  std::vector<NodeFunnel>& counts);
  std::optional<Fall> Unselected(size_t way,
                                 const api::resource_v1::ResourceSlice& slice,
                                 size_t device);
  void Record(size_t way, size_t device, const Fall& fall, const std::string& text);
  uint32_t RemovalFor(size_t way, const Fall& fall, const std::string& text);
  std::string TextOf(size_t way, const Fall& fall, const allocator::DeviceIdView& device) const;
  void MarkOutdated();
  void AddValues(Funnel& funnel, size_t way);
  void AddMissing(Removal& removal);
  std::string PoolTrouble(const allocator::rules::Pool& pool) const;
  bool MayTakeFrom(const allocator::rules::Pool& pool) const;

  const allocator::Snapshot& snapshot_;
  const allocator::inventory::Inventory& inventory_;
  const Holders& holders_;
  const allocator::AllocatedState state_;
  std::vector<allocator::rules::ClaimPlan> plans_;
  std::vector<DeviceJudge> judges_;                                         // by way
  std::vector<Funnel> funnels_;                                             // by way
  std::vector<std::map<std::pair<Step, std::string>, uint32_t>> removals_;  // by way: indexes
  std::vector<std::vector<Known>> known_;                                   // by way, then device
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices_;
  std::unordered_map<const api::resource_v1::ResourceSlice*, size_t> first_device_;
  size_t devices_ = 0;
  std::optional<NameCensus> census_;  // of all devices; set when a name is missing
};

}  // namespace dray::planning::inline explain
