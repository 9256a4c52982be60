// SPDX-License-Identifier: Apache-2.0
// What exists and what of it is taken, as one immutable value:
//
//   const dray::allocator::Snapshot cluster({}, slices, classes, {});
//   const dray::allocator::Attempt attempt(cluster, claims);            // <dray/allocator.h>
//   const auto outcome = attempt.Allocate(node);
//   // A claim took a device: the next value shares with this one whatever did not change.
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

/// A slice or class went, by its name.
struct SliceRemoved {
  std::string name;
};
struct ClassRemoved {
  std::string name;
};

/// What happened to the slices and classes of a cluster. A slice or class is added, or takes the
/// place of the one with its name.
using ClusterChange = std::variant<Frozen<api::resource_v1::ResourceSlice>,
                                   SliceRemoved,
                                   Frozen<api::resource_v1::DeviceClass>,
                                   ClassRemoved>;

/// A device and what claims hold of it from now on (nothing: it is free).
struct DeviceUseChange {
  DeviceId device;
  DeviceUse use;
};

/// Copying is O(1), and so is going back to an older copy: a fork shares everything with what it
/// was made from, except what was changed since. Any number of threads may read.
///
/// Snapshots made from each other share what was found out about their devices: which are alike,
/// what selectors say about them, what each node sees. That knowledge is bounded by the devices and
/// expressions there are.
class Snapshot {
 public:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  using Class = Frozen<api::resource_v1::DeviceClass>;

  /// What all snapshots made from each other have in common.
  struct Settings {
    Features features = {};
    /// Compiled selectors to share with others (SelectorCacheFor(features), <dray/selector.h>);
    /// null: new ones.
    std::shared_ptr<cel::SelectorCache> selectors = nullptr;
  };

  /// Nothing exists.
  explicit Snapshot(Settings settings);
  /// Slices in the order of a lister. O(devices), plus O(log n) for each device taken.
  Snapshot(Settings settings,
           std::vector<Slice> slices,
           const std::vector<Class>& classes,
           const AllocatedState& state);

  /// Slices or classes came, changed or went. O(devices of the pools concerned); from time to time
  /// a rebuild, when most of what is known is about devices that went.
  Snapshot With(std::span<const ClusterChange> changes) const;
  /// Claims took or released devices. O(devices of the pools concerned).
  Snapshot With(std::span<const DeviceUseChange> changes) const;

  const Features& features() const;
  /// Null when there is none of that name. O(1).
  Slice FindSlice(std::string_view name) const;
  Class FindClass(std::string_view name) const;
  /// What is taken, by name. O(devices taken).
  AllocatedState State() const;

  /// What the search works on; its header is not installed.
  const std::shared_ptr<const snapshot::ClusterState>& cluster() const { return cluster_; }

 private:
  explicit Snapshot(std::shared_ptr<const snapshot::ClusterState> cluster);

  std::shared_ptr<const snapshot::ClusterState> cluster_;
};

}  // namespace dray::allocator::inline v0
