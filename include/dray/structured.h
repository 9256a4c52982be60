// SPDX-License-Identifier: Apache-2.0
// The allocator in the shape of k8s.io/dynamic-resource-allocation/structured v0.31.8, for programs
// written against that package: the constructor takes the claims, listers provide everything else,
// and each call is about one node:
//
//   const auto allocator = dray::structured::NewAllocator(claims, claim_lister, class_lister,
//                                                         slice_lister);
//   const auto results = allocator.Allocate(node);
//   if (!results) return results.error();
//   if (results->has_value()) Use(**results);    // nothing: the claims cannot be satisfied there
//
// Programs of later versions (whose constructor takes features, allocated state, classes and
// slices, and whose calls take node and claims) use Snapshot and Attempt (<dray/snapshot.h>,
// <dray/allocator.h>); docs/library.md has both side by side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "dray/budget.h"
#include "dray/device_id.h"
#include "dray/features.h"

namespace dray::structured::inline v0 {

/// Lists claims. Called on the threads that call Allocate, so it must be thread-safe if they are
/// several.
class ClaimLister {
 public:
  virtual ~ClaimLister() = default;
  /// The claims with an allocation; claims without one are ignored.
  virtual Result<std::vector<Frozen<api::resource_v1::ResourceClaim>>> ListAllAllocated() const = 0;
};

/// Finds classes. Threads as for ClaimLister.
class DeviceClassLister {
 public:
  virtual ~DeviceClassLister() = default;
  /// Errors: kNotFound  there is none with that name; Allocate passes on any other error with the
  /// claim and request that needed it.
  virtual Result<Frozen<api::resource_v1::DeviceClass>> Get(std::string_view name) const = 0;
};

/// Lists slices. Threads as for ClaimLister.
class ResourceSliceLister {
 public:
  virtual ~ResourceSliceLister() = default;
  /// All slices of the cluster. Their order can decide between equal solutions: devices are tried
  /// by pool, then in this order.
  virtual Result<std::vector<Frozen<api::resource_v1::ResourceSlice>>> List() const = 0;
};

using allocator::DeviceId;  // its ToString() is "driver/pool/device"

/// The name of a pool in a cluster.
struct PoolId {
  std::string driver, pool;
  auto operator<=>(const PoolId&) const = default;
  /// "driver/pool"
  std::string ToString() const { return driver + "/" + pool; }
};

/// A pool as a node sees it: the slices of the newest generation among those for the node.
struct Pool {
  PoolId id;
  /// There are fewer slices than the slices announce. A request for all devices then fails; in
  /// v0.31.8 pools that span nodes are always incomplete.
  bool is_incomplete = false;
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
};

/// The pools of the node, by driver and pool name. (Upstream's order is random, so which of several
/// pools a device comes from may differ.) A slice that replaced older ones in its pool occurs
/// twice, as in v0.31.8. O(all slices).
///
/// Errors: "list resource slices: …"; a node selector that cannot be parsed, with its slice.
Result<std::vector<Pool>> GatherPools(const ResourceSliceLister& slices,
                                      const api::core_v1::Node& node);

/// The features of v0.31.8, which had no feature gates.
allocator::Features DefaultFeatures();

struct AllocatorOptions {
  /// The rules to follow. Other values than the default give the answers of another release
  /// (<dray/profile.h>).
  allocator::Features features = DefaultFeatures();
  /// The limit of one call; upstream has none.
  allocator::Budget budget = {};
};

/// Results parallel to the claims; no value if the claims cannot be satisfied on the node.
using Results = std::optional<std::vector<api::resource_v1::AllocationResult>>;

/// Finds devices for a fixed set of claims. Thread-safe and stateless: each call lists everything
/// again.
class Allocator {
 public:
  const std::vector<Frozen<api::resource_v1::ResourceClaim>>& ClaimsToAllocate() const {
    return claims_;
  }

  /// Returns devices of the node for all claims together. The first complete solution wins: claims
  /// as given, requests as written, pools by name, slices and devices as listed. Writes nothing;
  /// the caller must store the result. O(slices + allocated claims) before the search, whose worst
  /// case is exponential by the rules of v0.31.8.
  ///
  /// Errors, in the order in which they are checked; none of them depends on the node: "gather pool
  /// information: list resource slices: …"; a node selector that cannot be parsed; a request that
  /// is not understood, names a class that cannot be read, or wants all devices of a pool that is
  /// incomplete; "list allocated claims: …"; an expression that does not compile or fails on a
  /// device. kTimeout  the budget ran out, or the call was cancelled.
  Result<Results> Allocate(const api::core_v1::Node& node) const;

 private:
  friend Allocator NewAllocator(std::vector<Frozen<api::resource_v1::ResourceClaim>> claims,
                                const ClaimLister& claim_lister,
                                const DeviceClassLister& class_lister,
                                const ResourceSliceLister& slice_lister,
                                const AllocatorOptions& options);
  Allocator(std::vector<Frozen<api::resource_v1::ResourceClaim>> claims,
            const ClaimLister& claim_lister,
            const DeviceClassLister& class_lister,
            const ResourceSliceLister& slice_lister,
            const AllocatorOptions& options)
      : claims_(std::move(claims)),
        claim_lister_(&claim_lister),
        class_lister_(&class_lister),
        slice_lister_(&slice_lister),
        options_(options) {}

  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims_;
  const ClaimLister* claim_lister_;
  const DeviceClassLister* class_lister_;
  const ResourceSliceLister* slice_lister_;
  AllocatorOptions options_;
};

/// Never fails, and lists nothing yet. The listers outlive the allocator.
Allocator NewAllocator(std::vector<Frozen<api::resource_v1::ResourceClaim>> claims,
                       const ClaimLister& claim_lister,
                       const DeviceClassLister& class_lister,
                       const ResourceSliceLister& slice_lister,
                       const AllocatorOptions& options = {});

}  // namespace dray::structured::inline v0
