// SPDX-License-Identifier: Apache-2.0
// What a Snapshot holds: slices and classes, what is taken of their devices, and everything about
// them that can be known before a claim comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "allocator/snapshot/node_view.h"
#include "allocator/snapshot/pool_facts.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/persistent_map.h"
#include "base/persistent_vector.h"
#include "cel/selector_cache.h"
#include "dray/allocated_state.h"
#include "dray/changes.h"
#include "dray/device_id.h"
#include "dray/features.h"

namespace dray::allocator::snapshot {

/// The inside of a Snapshot. States made from each other are a family: they share all structure
/// that did not change, and what was found out about their devices (shapes, selector results, views
/// of nodes). Copying is O(1); any number of threads may read.
class ClusterState {
 public:
  /// O(devices), plus O(log n) for each device taken.
  ClusterState(const Features& features,
               std::shared_ptr<cel::SelectorCache> selectors,
               Frozen<inventory::Inventory> inventory,
               const AllocatedState& state);

  /// Slices or classes came, changed or went. O(devices of the pools concerned); from time to time
  /// a rebuild, when most shapes of devices are of devices that went.
  ClusterState With(std::span<const ClusterChange> changes) const;
  /// Claims took or released devices. O(devices of the pools concerned).
  ClusterState With(std::span<const DeviceUseChange> changes) const;

  const Features& features() const;
  const inventory::Inventory& inventory() const { return *inventory_; }
  const std::shared_ptr<cel::SelectorCache>& selectors() const;
  Shapes& shapes() const;

  /// What is taken, by name: what the literal search reads. Shares have numbers for ids. O(devices
  /// taken).
  AllocatedState State() const;
  /// What is taken of the device. O(log n).
  DeviceUse UseOfDevice(const DeviceIdView& id) const;
  /// The use of the pool with that id.
  const PoolUse& UseOfPool(uint32_t pool) const { return *uses_[pool]; }
  /// The node's devices. Made when first asked for, and kept while slices that concern the node
  /// and, where they matter, its labels do not change.
  Frozen<NodeView> ViewOf(const api::core_v1::Node& node) const;

  /// Empty when this state and one built anew from the same objects say the same; else what
  /// differs. For tests: O(everything).
  std::string DifferenceFromRebuild() const;

 private:
  class Family;
  class Pools;

  uint32_t PoolId(std::string_view driver, std::string_view pool);
  void RebuildPool(std::string_view driver, std::string_view pool);
  void Touch(const api::resource_v1::ResourceSlice& slice, uint64_t now);
  void ChangeUse(uint32_t pool, const UseByDevice& changes);

  std::shared_ptr<Family> family_;
  Frozen<inventory::Inventory> inventory_;
  PersistentMap<uint32_t> pool_ids_;  // by PoolText
  PersistentVector<Frozen<PoolFacts>> pools_;
  PersistentVector<Frozen<PoolUse>> uses_;
  /// When slices that concern a node changed last, in the count of changes of the family.
  PersistentMap<uint64_t> changed_;
  uint64_t all_changed_ = 0;
};

}  // namespace dray::allocator::snapshot
