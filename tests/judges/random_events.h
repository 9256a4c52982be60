// SPDX-License-Identifier: Apache-2.0
// Random changes of a cluster, as data: for tests that compare incremental updates with a rebuild.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/device_id.h"
#include "tests/judges/problem.h"

namespace dray::judges {

/// A slice is new, replaces the one of its name, or is gone.
struct SliceEvent {
  std::string name;
  Frozen<api::resource_v1::ResourceSlice> slice;  // null: gone
};

/// The same for a class.
struct ClassEvent {
  std::string name;
  Frozen<api::resource_v1::DeviceClass> device_class;  // null: gone
};

/// A claim takes its devices, or releases them.
struct ClaimEvent {
  enum class Kind : uint8_t { kTake, kGiveBack };
  struct Share {
    allocator::SharedDeviceId id;
    allocator::ConsumedCapacity amounts;
  };
  Kind kind;
  std::vector<allocator::DeviceId> devices;  // as a whole
  std::vector<Share> shares;

  /// All devices that are taken or released, in whole or in part.
  std::vector<allocator::DeviceId> Touched() const;
};

using Event = std::variant<SliceEvent, ClassEvent, ClaimEvent>;

/// `count` events that are possible in the state of the problem: free devices are taken, taken
/// devices are released, and slices change as drivers change them (devices are added, removed,
/// tainted, get other attributes; new generations begin; nodes change). Deterministic.
std::vector<Event> RandomEvents(const Problem& start, uint64_t seed, size_t count);

/// Applies the event to the problem in the simplest way. New slices and classes are appended,
/// replaced ones keep their place. O(slices + classes).
void Apply(const Event& event, Problem& problem);

}  // namespace dray::judges
