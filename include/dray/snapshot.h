// SPDX-License-Identifier: Apache-2.0
// The devices of a cluster and their allocation, as one immutable value:
//
//   const dray::allocator::Snapshot cluster({}, slices, classes, {});
//   const dray::allocator::Attempt attempt(cluster, claims);            // <dray/allocator.h>
//   const auto outcome = attempt.Allocate(node);
//   // The claims took devices. The next snapshot shares all unchanged parts with this one.
//   const dray::allocator::Snapshot later = cluster.With(std::get<Allocation>(*outcome));
//
// <dray/claims.h> makes the state, the last argument, from stored claims.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/changes.h"
#include "dray/features.h"
#include "dray/outcome.h"

namespace dray::allocator::inline v0 {

/// Compiled selectors that several snapshots share (SelectorCacheFor, <dray/selector.h>).
class SelectorCache;

/// Copying is O(1), and so is going back to an older copy: a fork shares everything with its origin
/// except the changes since. Any number of threads may read.
///
/// Snapshots that were made from each other share a cache about their devices: which are alike,
/// results of selectors, and the devices of each node. Its size is bounded by the number of devices
/// and expressions.
class Snapshot {
 public:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  using Class = Frozen<api::resource_v1::DeviceClass>;

  /// Settings that all snapshots made from each other share.
  struct Settings {
    Features features = {};
    /// A cache of compiled selectors shared with others (SelectorCacheFor(features),
    /// <dray/selector.h>); null: a new one.
    std::shared_ptr<SelectorCache> selectors = nullptr;
  };

  /// An empty cluster.
  explicit Snapshot(Settings settings);
  /// The slices are in the order of a lister. O(devices), plus O(log n) for each allocated device.
  Snapshot(Settings settings,
           std::vector<Slice> slices,
           const std::vector<Class>& classes,
           const AllocatedState& state);

  /// Applies added, changed or removed slices and classes. O(devices of their pools). Rebuilds the
  /// cache from time to time, when most of it is about removed devices.
  Snapshot With(std::span<const ClusterChange> changes) const;
  /// Applies allocations and releases of devices. O(devices of their pools).
  Snapshot With(std::span<const DeviceUseChange> changes) const;
  /// The snapshot after the allocation: its devices are taken, but for results with admin access.
  /// O(devices of their pools).
  Snapshot With(const Allocation& allocation) const;
  /// The snapshot after the devices of an allocation that it contains were given back: after
  /// snapshot.With(allocation), or of claims whose state it was made with. O(devices of their
  /// pools).
  Snapshot Without(const Allocation& allocation) const;

  const Features& features() const;
  /// Returns null if there is none with that name. O(1).
  Slice FindSlice(std::string_view name) const;
  Class FindClass(std::string_view name) const;
  /// The slices of this node alone (spec.nodeName), as given.
  std::vector<Slice> SlicesOfNode(std::string_view node) const;
  /// The allocated devices, by name. A snapshot counts shares and does not keep their ids: here
  /// they have numbers instead. O(allocated devices).
  AllocatedState State() const;

 private:
  class Impl;
  friend class Internals;

  explicit Snapshot(std::shared_ptr<const Impl> impl);

  std::shared_ptr<const Impl> impl_;
};

}  // namespace dray::allocator::inline v0
