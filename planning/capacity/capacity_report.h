// SPDX-License-Identifier: Apache-2.0
// What a cluster has of devices and what is left of it, by driver, pool, class or node, as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/value/quantity.h"
#include "planning/capacity/carving.h"

namespace dray::planning::inline capacity {

enum class CapacityBy : uint8_t { kDriver, kPool, kClass, kNode };

/// Each device is in one of the states from used to unusable: their sum is total.
struct DeviceCounts {
  size_t total = 0;
  size_t used = 0;          // a claim has it, or a share of it
  size_t free = 0;          // a pod and a request that tolerate nothing can have it
  size_t tainted = 0;       // unused, and a taint keeps requests away
  size_t cordoned = 0;      // unused, and the only node that reaches it is cordoned
  size_t node_tainted = 0;  // unused, and a taint of that node keeps pods away
  size_t blocked = 0;       // unused, and others have the counters it needs
  size_t unusable = 0;      // unused, and its pool is incomplete or contradicts itself
  // Of these:
  size_t used_tainted = 0;
  size_t unhealthy = 0;  // status of claims or pods says so

  bool operator==(const DeviceCounts&) const = default;
};

/// Devices that draw alike from shared counters and are alike in their capacity, or in the
/// attribute that their slice names for that.
struct PartitionShape {
  std::string driver;
  std::string label;    // "1g.5gb", "memory=20Gi", or what it draws
  std::string example;  // name of a device
  size_t devices = 0;
  CarvingAnswer::Fit fit;  // beside each other, if all that is left is for this shape
  size_t together = 0;     // in a mix that uses up what is left, the largest first
  double size = 0;         // share of what it is cut from
  size_t if_together = 0;  // as `fit`, if all that is left of GPUs that have the shape lay together
};

/// What of the largest shape cannot be placed, since what is left does not lie together: of the
/// shapes of one size, the largest of which one would fit otherwise.
struct Fragmentation {
  std::string shape;       // label of the first such
  size_t fit = 0;          // at least
  size_t if_together = 0;  // more than 0

  /// 0: all that would fit does; 1: none.
  double Lost() const {
    if (fit >= if_together) return 0;
    return 1 - static_cast<double>(fit) / static_cast<double>(if_together);
  }
};

/// A counter, or the sum of all of that name.
struct CounterLeft {
  std::string driver;
  std::string set;  // by pool; else empty: of all that have it
  std::string counter;
  api::Quantity total, left;
};

/// Capacity that several requests share.
struct SharedCapacity {
  std::string driver;
  std::string name;
  size_t devices = 0;
  api::Quantity total, used;
  api::Quantity unavailable;  // unused, on devices that are tainted, blocked or unusable
  api::Quantity left;         // total is the sum of these three, unless claims have too much
  api::Quantity most;         // left on one device
};

struct CapacityRow {
  // What it is about: those that CapacityBy names, others empty. No class, no node: devices that
  // none selects, that several nodes reach.
  std::string driver, pool, device_class, node;
  DeviceCounts devices;
  std::vector<PartitionShape> shapes;          // the largest first
  std::optional<size_t> largest;               // shape of which one can be had
  std::optional<Fragmentation> fragmentation;  // nothing: nothing is left to be cut
  std::vector<CounterLeft> counters;
  std::vector<SharedCapacity> shared;
};

struct CapacityReport {
  CapacityBy by = CapacityBy::kDriver;
  std::vector<CapacityRow> rows;  // sorted by what they are about
  DeviceCounts total;             // each device once, though several classes may select it
  size_t pools = 0;
  std::vector<std::string> notes = {};  // pools that cannot be used, selectors that fail
};

}  // namespace dray::planning::inline capacity
