// SPDX-License-Identifier: Apache-2.0
// What slices and pools hold, apart from their names: nodes that were bought together publish the
// same, and what is alike is stored, and worked out, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "allocator/snapshot/shapes.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/mutex.h"

namespace dray::allocator::snapshot {

/// 64 devices: slices begin at whole words in every set of devices.
constexpr size_t WordsFor(size_t devices) {
  return (devices + 63) / 64;
}

/// A slice apart from its name, its pool and the nodes it is for.
struct SliceContent {
  uint32_t id = 0;
  std::vector<ShapeId> shapes;  // by device
  Frozen<api::resource_v1::ResourceSlice> example;
  size_t words() const { return WordsFor(shapes.size()); }
};

/// What one device takes from one counter set.
struct CounterDraw {
  uint32_t counter = 0;  // in CounterTable::limits
  int64_t amount = 0;
};
struct SetDraw {
  uint32_t set = 0;
  uint64_t groups = 0;  // compatibility groups, by bit; 0: none are named
  std::vector<CounterDraw> draws;
};

/// The counters of a pool generation, and what its devices take of them, in one unit for all.
struct CounterTable {
  uint32_t id = 0;
  /// False when the amounts are none that 64 bits can add up, when one is negative, or when names
  /// do not fit together: then only the literal search knows.
  bool usable = true;
  bool in_milli = false;           // amounts are thousandths
  std::vector<int64_t> limits;     // by counter
  std::vector<std::string> names;  // by counter
  size_t sets = 0;
  std::map<uint32_t, std::vector<std::vector<SetDraw>>> draws;  // by content, then device

  const std::vector<SetDraw>& Of(uint32_t content, size_t device) const {
    return draws.at(content)[device];
  }
};

/// The contents of a cluster and everything forked from it, for any number of threads. Only grows.
class Contents {
 public:
  Frozen<SliceContent> Of(const Frozen<api::resource_v1::ResourceSlice>& slice, Shapes& shapes);
  /// For the slices of one generation. Null when none of them has counters.
  Frozen<CounterTable> CountersOf(const std::vector<Frozen<SliceContent>>& slices);

  /// A number for each different text.
  uint64_t NumberOf(const std::string& text);
  /// How many different slices there were.
  size_t size() const;

  static constexpr size_t kNumbersMax = 64 * 1024;

 private:
  mutable Mutex mutex_;
  std::unordered_multimap<uint64_t, Frozen<SliceContent>> contents_ DRAY_GUARDED_BY(mutex_);
  std::map<std::vector<uint32_t>, Frozen<CounterTable>> tables_ DRAY_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t> numbers_ DRAY_GUARDED_BY(mutex_);
  uint64_t next_number_ DRAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace dray::allocator::snapshot
