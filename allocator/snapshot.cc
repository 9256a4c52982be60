// SPDX-License-Identifier: Apache-2.0
#include "dray/snapshot.h"

#include <utility>

#include "allocator/snapshot/cluster_state.h"

namespace dray::allocator {

using snapshot::ClusterState;

Snapshot::Snapshot(Settings settings) : Snapshot(std::move(settings), {}, {}, {}) {}

Snapshot::Snapshot(Settings settings,
                   std::vector<Slice> slices,
                   const std::vector<Class>& classes,
                   const AllocatedState& state)
    : cluster_(std::make_shared<const ClusterState>(
          std::move(settings), inventory::Inventory::Build(std::move(slices), classes), state)) {}

Snapshot::Snapshot(std::shared_ptr<const ClusterState> cluster) : cluster_(std::move(cluster)) {}

Snapshot Snapshot::With(std::span<const ClusterChange> changes) const {
  return Snapshot(std::make_shared<const ClusterState>(cluster_->With(changes)));
}

Snapshot Snapshot::With(std::span<const DeviceUseChange> changes) const {
  return Snapshot(std::make_shared<const ClusterState>(cluster_->With(changes)));
}

const Features& Snapshot::features() const {
  return cluster_->features();
}

Snapshot::Slice Snapshot::FindSlice(std::string_view name) const {
  return cluster_->inventory().FindSlice(name);
}

Snapshot::Class Snapshot::FindClass(std::string_view name) const {
  return cluster_->inventory().FindClass(name);
}

AllocatedState Snapshot::State() const {
  return cluster_->State();
}

}  // namespace dray::allocator
