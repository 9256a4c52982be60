// SPDX-License-Identifier: Apache-2.0
// The devices of a cluster and their allocation, as one immutable value:
//
//   const dray::allocator::Snapshot cluster({}, slices, classes, {});
//   const dray::allocator::Attempt attempt(cluster, claims);            // <dray/allocator.h>
//   const auto outcome = attempt.Allocate(node);
//   // A claim took a device. The next snapshot shares all unchanged parts with this one.
//   const DeviceUseChange taken{.device = {"gpu.example.com", "worker-0", "gpu-1"},
//                               .use = {.whole = true}};
//   const dray::allocator::Snapshot later = cluster.With({&taken, 1});
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "dray/allocated_state.h"
#include "dray/device_id.h"
#include "dray/features.h"

namespace dray::cel {
class SelectorCache;
}

namespace dray::allocator::snapshot {
class ClusterState;
}

namespace dray::allocator::inline v0 {

/// The slice or class with this name was removed.
struct SliceRemoved {
  std::string name;
};
struct ClassRemoved {
  std::string name;
};

/// A change of the slices and classes of a cluster. A slice or class is added, or replaces the one
/// with its name.
using ClusterChange = std::variant<Frozen<api::resource_v1::ResourceSlice>,
                                   SliceRemoved,
                                   Frozen<api::resource_v1::DeviceClass>,
                                   ClassRemoved>;

/// A device and its allocation from now on (no value: it is free).
struct DeviceUseChange {
  DeviceId device;
  DeviceUse use;
};

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
    std::shared_ptr<cel::SelectorCache> selectors = nullptr;
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

  const Features& features() const;
  /// Returns null if there is none with that name. O(1).
  Slice FindSlice(std::string_view name) const;
  Class FindClass(std::string_view name) const;
  /// The allocated devices, by name. O(allocated devices).
  AllocatedState State() const;

  /// The data that the search works on; its header is not installed.
  const std::shared_ptr<const snapshot::ClusterState>& cluster() const { return cluster_; }

 private:
  explicit Snapshot(std::shared_ptr<const snapshot::ClusterState> cluster);

  std::shared_ptr<const snapshot::ClusterState> cluster_;
};

}  // namespace dray::allocator::inline v0
