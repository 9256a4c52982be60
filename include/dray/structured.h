// SPDX-License-Identifier: Apache-2.0
// The allocator in the shape of k8s.io/dynamic-resource-allocation/structured v0.31.8, for programs
// written against that package: claims are given at the beginning, everything else comes from
// listers, each call is about one node:
//
//   const auto allocator = dray::structured::NewAllocator(claims, claim_lister, class_lister,
//                                                         slice_lister);
//   const auto results = allocator.Allocate(node);
//   if (!results) return results.error();
//   if (results->has_value()) Use(**results);    // nothing: the claims cannot be satisfied there
//
// Programs of later versions (features, allocated state, classes and slices at the beginning; node
// and claims with each call) use Snapshot and Attempt (<dray/snapshot.h>, <dray/allocator.h>);
// docs/library.md has both side by side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "base/result.h"
#include "dray/budget.h"
#include "dray/device_id.h"
#include "dray/features.h"

namespace dray::structured::inline v0 {

/// Lists claims. Called from the thread that calls Allocate, so from several when that is.
class ClaimLister {
 public:
  virtual ~ClaimLister() = default;
  /// The claims with an allocation; others among them are ignored.
  virtual Result<std::vector<Frozen<api::resource_v1::ResourceClaim>>> ListAllAllocated() const = 0;
};

/// Finds classes. Threads as above.
class DeviceClassLister {
 public:
  virtual ~DeviceClassLister() = default;
  /// Errors: kNotFound  there is none of that name; anything else is passed on with the claim and
  /// request that asked.
  virtual Result<Frozen<api::resource_v1::DeviceClass>> Get(std::string_view name) const = 0;
};

/// Lists slices. Threads as above.
class ResourceSliceLister {
 public:
  virtual ~ResourceSliceLister() = default;
  /// All slices of the cluster. Their order can decide between equal answers: devices are tried by
  /// pool, then in this order.
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

/// What a node sees of a pool: the slices of the newest generation among those that are for it.
struct Pool {
  PoolId id;
  /// There are not as many slices as they announce. A request for all devices then fails; in
  /// v0.31.8 pools that span nodes are always incomplete.
  bool is_incomplete = false;
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;
};

/// The pools of the node, by driver and pool name. (Upstream's order is random; so which of several
/// pools a device comes from may differ.) A slice that replaced older ones in its pool stands there
/// twice, as in v0.31.8. O(all slices).
///
/// Errors: "list resource slices: …"; a node selector that cannot be parsed, with its slice.
Result<std::vector<Pool>> GatherPools(const ResourceSliceLister& slices,
                                      const api::core_v1::Node& node);

/// The features of v0.31.8, which had no switches.
allocator::Features DefaultFeatures();

struct AllocatorOptions {
  /// Whose rules hold. Others than the default give this shape the answers of another release
  /// (<dray/profile.h>).
  allocator::Features features = DefaultFeatures();
  /// Of one call; upstream has no bound.
  allocator::Budget budget = {};
};

/// Results parallel to the claims; nothing when the claims cannot be satisfied on the node.
using Results = std::optional<std::vector<api::resource_v1::AllocationResult>>;

/// Finds devices for a fixed set of claims. Thread-safe, without any state: each call lists
/// everything again.
class Allocator {
 public:
  const std::vector<Frozen<api::resource_v1::ResourceClaim>>& ClaimsToAllocate() const {
    return claims_;
  }

  /// What the node has for all claims together. The first complete solution wins: claims as given,
  /// requests as written, pools by name, slices and devices as listed. Nothing is written; that is
  /// the caller's part. O(slices + allocated claims) before the search, whose worst case is
  /// exponential by the rules of v0.31.8.
  ///
  /// Errors, in the order in which they are looked for; none of them goes away on another node:
  /// "gather pool information: list resource slices: …"; a node selector that cannot be parsed; a
  /// request that cannot be understood, names a class that cannot be had, or wants all devices of a
  /// pool that is incomplete; "list allocated claims: …"; an expression that does not compile or
  /// fails on a device. kTimeout  the budget ran out, or the call was cancelled.
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

/// Never fails; nothing is listed yet. The listers outlive the allocator.
Allocator NewAllocator(std::vector<Frozen<api::resource_v1::ResourceClaim>> claims,
                       const ClaimLister& claim_lister,
                       const DeviceClassLister& class_lister,
                       const ResourceSliceLister& slice_lister,
                       const AllocatorOptions& options = {});

}  // namespace dray::structured::inline v0
