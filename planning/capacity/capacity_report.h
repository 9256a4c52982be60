// SPDX-License-Identifier: Apache-2.0
// The devices of a cluster and what is left of them, by driver, pool, class or node, as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/value/quantity.h"
#include "planning/capacity/carving.h"

namespace dray::planning::inline capacity {

enum class CapacityBy : uint8_t { kDriver, kPool, kClass, kNode };

/// See DeviceCounts.
enum class DeviceState : uint8_t {
  kLeftOut,  // the question is not about it
  kUsed,
  kFree,
  kTainted,
  kCordoned,
  kNodeTainted,
  kBlocked,
  kUnusable
};

/// "used", "nodeTainted": as the member of a report that counts such devices.
std::string_view DeviceStateName(DeviceState state);

/// Each device is in one of the states from used to unusable; total is their sum.
struct DeviceCounts {
  size_t total = 0;
  size_t used = 0;          // a claim has it, or a share of it
  size_t free = 0;          // available to a pod and a request without tolerations
  size_t tainted = 0;       // unused, and a taint keeps requests away
  size_t cordoned = 0;      // unused, and the only node that reaches it is cordoned
  size_t node_tainted = 0;  // unused, and a taint of that node keeps pods away
  size_t blocked = 0;       // unused, and other devices consume the counters it needs
  size_t unusable = 0;      // unused, and its pool is incomplete or contradicts itself
  // Subsets of the above:
  size_t used_tainted = 0;
  size_t unhealthy = 0;  // according to the status of claims or pods

  bool operator==(const DeviceCounts&) const = default;
};

/// Devices that consume the same amounts of shared counters and have the same capacity, or the same
/// value of the attribute that their slice names as the label.
struct PartitionShape {
  std::string driver;
  std::string label;    // "1g.5gb", "memory=20Gi", or the counters it consumes
  std::string example;  // name of a device
  size_t devices = 0;
  CarvingAnswer::Fit fit;  // at the same time, if everything left is for this shape
  size_t together = 0;     // in a mix that uses up everything left, the largest first
  double size = 0;         // the share of its counters that it takes
  size_t if_together = 0;  // as `fit`, if everything left of GPUs with the shape were contiguous
};

/// How much of the largest size of shapes cannot be placed because the free counters are scattered.
/// It sums the shapes of that size, the largest of which one would fit if counters were contiguous.
struct Fragmentation {
  std::string shape;       // label of the first such
  size_t fit = 0;          // at least
  size_t if_together = 0;  // more than 0

  /// 0: everything that would fit does; 1: nothing does.
  double Lost() const {
    if (fit >= if_together) return 0;
    return 1 - static_cast<double>(fit) / static_cast<double>(if_together);
  }
};

/// A counter, or the sum of all counters of that name.
struct CounterLeft {
  std::string driver;
  std::string set;  // if by pool; else empty: the sum over all sets
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
  api::Quantity left;         // total is the sum of these three, unless overallocated
  api::Quantity most;         // left on one device
};

struct CapacityRow {
  // The subject of the row: the members that CapacityBy names, others empty. No class: devices that
  // no class selects. No node: devices that several nodes reach.
  std::string driver, pool, device_class, node;
  DeviceCounts devices;
  std::vector<PartitionShape> shapes;          // the largest first
  std::optional<size_t> largest;               // index of a shape of which one fits
  std::optional<Fragmentation> fragmentation;  // absent: nothing is left to partition
  std::vector<CounterLeft> counters;
  std::vector<SharedCapacity> shared;
};

struct JudgedDevice {
  std::string name;
  std::string node = {};  // the only one that reaches it; empty: several may
  DeviceState state = DeviceState::kFree;
  bool is_tainted = false;  // also when it is used
  bool is_unhealthy = false;
};

struct JudgedPool {
  std::string driver, pool;
  std::vector<JudgedDevice> devices;  // as published
};

struct CapacityReport {
  CapacityBy by = CapacityBy::kDriver;
  std::vector<CapacityRow> rows;  // sorted by subject
  DeviceCounts total;             // each device once, though several classes may select it
  size_t pools = 0;
  std::vector<JudgedPool> judged = {};  // if the question asks for them
  std::vector<std::string> notes = {};  // pools that cannot be used, selectors that fail
};

}  // namespace dray::planning::inline capacity
