// SPDX-License-Identifier: Apache-2.0
// The structured allocator: finds devices for claims on a node, with upstream's answers
// (k8s.io/dynamic-resource-allocation/structured; profile v0.37.2).
//
// This is the literal search, slow and plain: it stays as the oracle of faster ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/core_v1.h"
#include "api/quantity.h"
#include "api/resource_v1.h"
#include "base/published.h"
#include "base/result.h"
#include "cel/selector_cache.h"

namespace dray::allocator {

/// driver/pool/device: the name of a device in a cluster.
struct DeviceId {
  std::string driver, pool, device;
  auto operator<=>(const DeviceId&) const = default;
  std::string ToString() const { return driver + "/" + pool + "/" + device; }
};

/// What exists: all slices in the order a lister gives them, and all classes, indexed once. A new
/// one is built when slices or classes change, not per claim: O(slices + classes).
class Inventory {
 public:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  using Class = Frozen<api::resource_v1::DeviceClass>;

  static Frozen<Inventory> Build(std::vector<Slice> slices, const std::vector<Class>& classes);

  /// The slices a node may see: its own first, then those not bound to one node; both as given.
  const std::vector<const api::resource_v1::ResourceSlice*>& OfNode(std::string_view node) const;
  const std::vector<const api::resource_v1::ResourceSlice*>& shared() const { return shared_; }
  /// All slices of a pool, whatever their generation and nodes, as given.
  const std::vector<const api::resource_v1::ResourceSlice*>& OfPool(std::string_view driver,
                                                                    std::string_view pool) const;
  /// Null when there is no such class.
  const api::resource_v1::DeviceClass* FindClass(std::string_view name) const;

 private:
  using Slices = std::vector<const api::resource_v1::ResourceSlice*>;

  std::vector<Slice> slices_;
  std::map<std::string, Slices, std::less<>> by_node_;
  Slices shared_;
  std::map<std::pair<std::string, std::string>, Slices, std::less<>> by_pool_;
  std::map<std::string, Class, std::less<>> classes_;
};

/// How much is taken of each capacity of a device, by name.
using ConsumedCapacity = std::map<std::string, api::Quantity, std::less<>>;

/// One of several allocations of a device.
struct SharedDeviceId {
  DeviceId device;
  std::string share;
  auto operator<=>(const SharedDeviceId&) const = default;
};

/// What is taken already: devices of allocated claims, in flight ones included. Results with admin
/// access take nothing.
struct AllocatedState {
  std::set<DeviceId> devices;  // as a whole
  std::set<SharedDeviceId> shares;
  std::map<DeviceId, ConsumedCapacity> capacity;  // by all shares of the device together

  bool IsShared(const DeviceId& id) const {
    const auto first = shares.lower_bound({.device = id, .share = {}});
    return capacity.contains(id) || (first != shares.end() && first->device == id);
  }
  bool IsAllocated(const DeviceId& id) const { return devices.contains(id) || IsShared(id); }
};

/// Upstream's implementations of the allocator. The later one knows more features, and follows
/// rules of its own about parts that the others have not heard of.
enum class Implementation : uint8_t { kIncubating, kExperimental };

/// Upstream's feature switches, as data at the points of decision. The defaults are those of a
/// Kubernetes 1.37 cluster.
struct Features {
  bool admin_access = true;
  bool prioritized_list = true;
  bool device_taints = true;
  bool device_binding_and_status = true;
  bool partitionable_devices = true;
  bool consumable_capacity = true;
  bool fractional_capacity_range = true;
  bool list_type_attributes = false;
  bool derived_attributes = false;
  bool compatibility_groups = false;
  bool optional_node_operations = false;
  /// Unless set, the first one that knows all features that are on, as upstream picks it.
  std::optional<Implementation> implementation = {};

  Implementation Picked() const {
    const bool needs_experimental = list_type_attributes || derived_attributes ||
                                    compatibility_groups || optional_node_operations;
    return implementation.value_or(needs_experimental ? Implementation::kExperimental
                                                      : Implementation::kIncubating);
  }
};

/// Counts candidates tried, not time, so an answer does not depend on the machine.
struct Budget {
  int64_t steps_max = 1'000'000'000;
};

/// One AllocationResult per claim, in the order of the claims.
struct Allocation {
  std::vector<api::resource_v1::AllocationResult> results;
};
/// No devices fit. `node_error` is upstream's error for this node alone ("invalid resource pools
/// were encountered"); empty when nothing stood in the way but the devices themselves.
struct Unsatisfiable {
  std::string node_error;
};
/// The budget ran out first.
struct Undecided {
  int64_t steps;
};
using Outcome = std::variant<Allocation, Unsatisfiable, Undecided>;

/// Thread-safe: Allocate may be called for many nodes at once.
class Allocator {
 public:
  /// O(1): both arguments are shared.
  Allocator(Frozen<Inventory> inventory,
            Frozen<AllocatedState> state,
            std::shared_ptr<cel::SelectorCache> selectors,
            Features features = {});
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// The first complete solution wins: claims as given, requests as written, pools and devices in a
  /// fixed order. Worst case exponential in the number of devices asked for.
  ///
  /// Errors (upstream's texts): a class is missing, a selector does not compile or fails on a
  /// device, a pool is being updated while all its devices are wanted.
  Result<Outcome> Allocate(const api::core_v1::Node& node,
                           std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                           Budget budget) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::allocator
