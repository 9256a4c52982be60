// SPDX-License-Identifier: Apache-2.0
// What exists and what of it is taken, as one immutable value, with everything about it that can be
// known before a claim comes along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allocator/allocated_state.h"
#include "allocator/device_id.h"
#include "allocator/features.h"
#include "allocator/inventory.h"
#include "allocator/inventory/node_view.h"
#include "allocator/inventory/pool_facts.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/persistent_map.h"
#include "base/persistent_vector.h"
#include "base/published.h"
#include "cel/selector_cache.h"

namespace dray::allocator {

/// A device and what claims hold of it from now on (nothing: it is free).
struct DeviceUseChange {
  DeviceId device;
  DeviceUse use;
};

/// What `state` says about one device.
DeviceUse UseOf(const AllocatedState& state, const DeviceIdView& device);

/// Copying is O(1), and so is going back to an older copy: a fork shares everything with what it
/// was made from, except what was changed since. Any number of threads may read.
///
/// Snapshots made from each other share what was found out about their devices: shapes, selector
/// results, views of nodes. That knowledge is bounded by the devices and expressions there are.
class Snapshot {
 public:
  /// What all snapshots of a family have in common.
  struct Settings {
    Features features = {};
    /// Compiles for the environment of `features` (profile.h); null: a new one.
    std::shared_ptr<cel::SelectorCache> selectors = nullptr;
  };

  /// Nothing exists.
  explicit Snapshot(Settings settings);
  /// O(devices), plus O(log n) for each device taken.
  Snapshot(Settings settings, Frozen<Inventory> inventory, const AllocatedState& state);

  /// Slices or classes came, changed or went. O(devices of the pools concerned); from time to time
  /// a rebuild, when most shapes of devices are of devices that went.
  Snapshot With(std::span<const Inventory::Change> changes) const;
  /// Claims took or released devices. O(devices of the pools concerned).
  Snapshot With(std::span<const DeviceUseChange> changes) const;

  const Features& features() const;
  const Inventory& inventory() const { return *inventory_; }
  const std::shared_ptr<cel::SelectorCache>& selectors() const;
  Shapes& shapes() const;

  /// What is taken, by name: what the literal search reads. O(devices taken).
  AllocatedState State() const;
  /// Of the pool with that id.
  const PoolUse& UseOfPool(uint32_t pool) const { return *uses_[pool]; }
  /// The node's devices. Made when first asked for, and kept while slices that concern the node
  /// and, where they matter, its labels do not change.
  Frozen<NodeView> ViewOf(const api::core_v1::Node& node) const;

  /// Empty when this snapshot and one built anew from the same objects say the same; else what
  /// differs. For tests: O(everything).
  std::string DifferenceFromRebuild() const;

 private:
  class Family;
  struct ViewKey;
  class Pools;

  uint32_t PoolId(std::string_view driver, std::string_view pool);
  void RebuildPool(std::string_view driver, std::string_view pool);
  void Touch(const api::resource_v1::ResourceSlice& slice, uint64_t now);
  void Tell(uint32_t pool, std::span<const std::pair<std::string, DeviceUse>> told);

  std::shared_ptr<Family> family_;
  Frozen<Inventory> inventory_;
  PersistentMap<uint32_t> pool_ids_;  // by PoolText
  PersistentVector<Frozen<PoolFacts>> pools_;
  PersistentVector<Frozen<PoolUse>> uses_;
  /// When slices that concern a node changed last, in the count of changes of the family.
  PersistentMap<uint64_t> changed_;
  uint64_t all_changed_ = 0;
};

}  // namespace dray::allocator
