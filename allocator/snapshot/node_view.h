// SPDX-License-Identifier: Apache-2.0
// The devices one node can see, in the order in which they are tried, as sets of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "allocator/rules/pools.h"
#include "allocator/snapshot/pool_facts.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/features.h"

namespace dray::allocator::snapshot {

/// Immutable, for any number of threads. Depends on slices and the node, not on what is taken.
struct NodeView {
  struct Pool {
    uint32_t id = 0;  // in the snapshot
    rules::PoolState state = rules::PoolState::kComplete;
    Frozen<PoolFacts> facts;
    bool draws_counters = false;  // some device of it that the node sees does
  };
  /// The devices of a slice: bits of the node from `word` on.
  struct Segment {
    const SliceFacts* facts = nullptr;  // kept by its pool
    uint32_t pool = 0;                  // in `pools`
    size_t word = 0;
    size_t words() const { return facts->content->words(); }
  };

  std::vector<Pool> pools;
  std::vector<Segment> segments;
  std::vector<uint32_t> segment_of;  // by word
  size_t words = 0;
  /// Devices that choose their nodes themselves and chose this one, and all others; empty: all.
  std::vector<uint64_t> on_node;

  /// Only the literal search knows what happens on this node: its slices cannot be shown to belong
  /// together, or a selection of nodes cannot be parsed.
  bool needs_literal = false;
  bool any_incomplete = false;
  bool any_invalid = false;
  /// Whether other labels of the node would change anything.
  bool reads_labels = false;
  /// Equal for views that are alike but for names.
  std::vector<uint64_t> fingerprint;

  const api::resource_v1::ResourceSlice* SliceOf(size_t bit) const {
    return segments[segment_of[bit / 64]].facts->slice.get();
  }
  size_t IndexInSlice(size_t bit) const { return bit - segments[segment_of[bit / 64]].word * 64; }
  ShapeId ShapeOf(size_t bit) const {
    return segments[segment_of[bit / 64]].facts->content->shapes[IndexInSlice(bit)];
  }
  const api::resource_v1::Device& DeviceAt(size_t bit) const {
    return SliceOf(bit)->spec.devices[IndexInSlice(bit)];
  }
};

/// Pools by id, as a snapshot has them.
class PoolLookup {
 public:
  virtual ~PoolLookup() = default;
  /// The pool of a slice that is in the snapshot.
  virtual std::pair<uint32_t, Frozen<PoolFacts>> PoolOf(
      const api::resource_v1::ResourceSlice& slice) const = 0;
};

/// O(slices the node may see).
Frozen<NodeView> MakeNodeView(const inventory::Inventory& inventory,
                              const PoolLookup& pools,
                              const api::core_v1::Node& node,
                              const Features& features);

}  // namespace dray::allocator::snapshot
