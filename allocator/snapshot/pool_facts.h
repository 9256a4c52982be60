// SPDX-License-Identifier: Apache-2.0
// Pools as sets of devices, and what is taken of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/snapshot/contents.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"

namespace dray::allocator::snapshot {

/// One slice of a pool. Its devices are bits of the pool's sets from `first_word` on.
struct SliceFacts {
  Frozen<api::resource_v1::ResourceSlice> slice;
  Frozen<SliceContent> content;
  size_t first_word = 0;
};

/// All slices of a pool, of every generation, as given.
struct PoolFacts {
  std::vector<SliceFacts> slices;
  size_t words = 0;
  /// Every slice is of the same generation, and there are as many as that generation announces: the
  /// counters of any node's view of the pool are then those below.
  bool is_whole = false;
  Frozen<CounterTable> counters;  // null: none

  const SliceFacts* Find(const api::resource_v1::ResourceSlice* slice) const;
};

/// What claims hold of the devices of a pool, sorted by name of device.
using UseByDevice = std::vector<std::pair<std::string, DeviceUse>>;

/// What claims hold of a pool, by name, and as sets of the devices that are published.
struct PoolUse {
  UseByDevice by_device;  // also of devices that no slice has

  // The rest describes the pool as it is published now.
  std::vector<uint64_t> whole;   // words of the pool
  std::vector<uint64_t> shared;  // with a share or consumed capacity; empty: none
  std::vector<std::pair<size_t, ConsumedCapacity>> capacity;  // by bit, sorted
  std::vector<int64_t> available;  // by counter: limits less what allocated devices take
  bool overdrawn = false;          // a counter is below zero
  /// Equal for equal shares and capacities; 0: none.
  uint64_t shares_number = 0;

  const ConsumedCapacity* CapacityOf(size_t bit) const;
};

/// Works out the sets of `use` from its names. O(devices of the pool × log(devices in use)).
/// `shares_draw`: shared devices use up counters, as whole ones do.
void Resolve(const PoolFacts& pool, Contents& contents, bool shares_draw, PoolUse& use);

}  // namespace dray::allocator::snapshot
