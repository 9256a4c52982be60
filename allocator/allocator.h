// SPDX-License-Identifier: Apache-2.0
// The structured allocator: finds devices for claims on a node, with upstream's answers
// (k8s.io/dynamic-resource-allocation/structured; profile v0.37.2).
//
// This is the literal search, slow and plain: it stays as the oracle of faster ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "base/published.h"
#include "base/result.h"

namespace dray::allocator {

/// driver/pool/device: the name of a device in a cluster.
struct DeviceId {
  std::string driver, pool, device;
  auto operator<=>(const DeviceId&) const = default;
  std::string ToString() const { return driver + "/" + pool + "/" + device; }
};

/// What exists: all slices in the order a lister gives them, and all classes. Immutable once handed
/// to an allocator.
struct Inventory {
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes;
};

/// What is taken already: devices of allocated claims (without admin access).
struct AllocatedState {
  std::set<DeviceId> devices;
};

/// Counts candidates tried, not time, so an answer does not depend on the machine.
struct Budget {
  int64_t steps_max = 1'000'000'000;
};

/// One AllocationResult per claim, in the order of the claims.
struct Allocation {
  std::vector<api::resource_v1::AllocationResult> results;
};
/// No devices fit. `reason` names what is known about why (an invalid pool, …); may be empty.
struct Unsatisfiable {
  std::string reason;
};
/// The budget ran out first.
struct Undecided {
  int64_t steps;
};
using Outcome = std::variant<Allocation, Unsatisfiable, Undecided>;

/// Thread-safe: Allocate may be called for many nodes at once.
class Allocator {
 public:
  Allocator(Frozen<Inventory> inventory, AllocatedState state);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// The first complete solution wins: claims as given, requests as written, pools and devices in a
  /// fixed order. Worst case exponential in the number of devices asked for.
  ///
  /// Errors (upstream's texts): a class is missing, a selector does not compile or fails on a
  /// device, a pool is being updated while all its devices are wanted, a feature not built yet.
  Result<Outcome> Allocate(const api::core_v1::Node& node,
                           std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                           Budget budget) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::allocator
