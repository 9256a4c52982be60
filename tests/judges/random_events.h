// SPDX-License-Identifier: Apache-2.0
// Random changes of a cluster, as data: for whatever keeps up with a cluster step by step and has
// to say the same as something built anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "dray/allocated_state.h"
#include "dray/device_id.h"
#include "tests/judges/problem.h"

namespace dray::judges {

/// A slice is new, replaces the one of its name, or is gone.
struct SliceEvent {
  std::string name;
  Frozen<api::resource_v1::ResourceSlice> slice;  // null: gone
};

/// The same of a class.
struct ClassEvent {
  std::string name;
  Frozen<api::resource_v1::DeviceClass> device_class;  // null: gone
};

/// A claim takes its devices, or gives back what it took.
struct ClaimEvent {
  enum class Kind : uint8_t { kTake, kGiveBack };
  struct Share {
    allocator::SharedDeviceId id;
    allocator::ConsumedCapacity amounts;
  };
  Kind kind;
  std::vector<allocator::DeviceId> devices;  // as a whole
  std::vector<Share> shares;

  /// All devices of which something is taken or given back.
  std::vector<allocator::DeviceId> Touched() const;
};

using Event = std::variant<SliceEvent, ClassEvent, ClaimEvent>;

/// `count` events that follow from the state of the problem: what is free is taken, what is taken
/// is given back, slices change as drivers change them (devices come and go, are tainted, get other
/// attributes, generations begin, nodes change). Deterministic.
std::vector<Event> RandomEvents(const Problem& start, uint64_t seed, size_t count);

/// The problem after the event, in the simplest way. New slices and classes go to the end, replaced
/// ones keep their place. O(slices + classes).
void Apply(const Event& event, Problem& problem);

}  // namespace dray::judges
