// SPDX-License-Identifier: Apache-2.0
#include "dray/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "allocator/internals.h"
#include "allocator/selector_cache.h"
#include "allocator/snapshot/cluster_state.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/claims.h"
#include "dray/selector.h"

namespace dray::allocator {

using snapshot::ClusterState;

namespace {

constexpr size_t kSelectorsKept = 10'000;

ClusterState ClusterOf(Snapshot::Settings settings,
                       std::vector<Snapshot::Slice> slices,
                       const std::vector<Snapshot::Class>& classes,
                       const AllocatedState& state) {
  if (settings.selectors == nullptr)
    settings.selectors = SelectorCacheFor(settings.features, kSelectorsKept);
  return {settings.features,
          std::move(settings.selectors),
          inventory::Inventory::Build(std::move(slices), classes),
          state};
}

void Take(const AllocatedPart& part, DeviceUse& use) {
  if (part.id.share.empty()) {
    use.whole = true;
    return;
  }
  ++use.shares;
  if (part.consumed.empty()) return;
  if (!use.capacity.has_value()) use.capacity.emplace();
  for (const auto& [name, amount] : part.consumed) (*use.capacity)[name] += amount;
}

void GiveBack(const AllocatedPart& part, DeviceUse& use) {
  if (part.id.share.empty()) {
    use.whole = false;
    return;
  }
  if (use.shares > 0) --use.shares;
  if (!use.capacity.has_value()) return;
  for (const auto& [name, amount] : part.consumed) (*use.capacity)[name] -= amount;
  const bool is_unused =
      std::ranges::all_of(*use.capacity, [](const auto& entry) { return entry.second.IsZero(); });
  if (is_unused) use.capacity.reset();
}

/// `apply` changes the use of a device by one part of the allocation.
std::vector<DeviceUseChange> ChangesOf(const ClusterState& cluster,
                                       const Allocation& allocation,
                                       void (*apply)(const AllocatedPart&, DeviceUse&)) {
  std::map<DeviceId, DeviceUse> uses;
  for (const api::resource_v1::AllocationResult& result : allocation.results) {
    for (const AllocatedPart& part : PartsOf(result, cluster.features())) {
      const auto [use, is_new] = uses.try_emplace(part.id.device);
      if (is_new) use->second = cluster.UseOfDevice(part.id.device.view());
      apply(part, use->second);
    }
  }
  std::vector<DeviceUseChange> changes;
  changes.reserve(uses.size());
  for (auto& [device, use] : uses) changes.push_back({.device = device, .use = std::move(use)});
  return changes;
}

}  // namespace

class Snapshot::Impl {
 public:
  explicit Impl(ClusterState state) : cluster(std::move(state)) {}

  const ClusterState cluster;
};

Snapshot::Snapshot(Settings settings) : Snapshot(std::move(settings), {}, {}, {}) {}

Snapshot::Snapshot(Settings settings,
                   std::vector<Slice> slices,
                   const std::vector<Class>& classes,
                   const AllocatedState& state)
    : impl_(std::make_shared<const Impl>(
          ClusterOf(std::move(settings), std::move(slices), classes, state))) {}

Snapshot::Snapshot(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Snapshot Snapshot::With(std::span<const ClusterChange> changes) const {
  return Snapshot(std::make_shared<const Impl>(impl_->cluster.With(changes)));
}

Snapshot Snapshot::With(std::span<const DeviceUseChange> changes) const {
  return Snapshot(std::make_shared<const Impl>(impl_->cluster.With(changes)));
}

Snapshot Snapshot::With(const Allocation& allocation) const {
  return With(ChangesOf(impl_->cluster, allocation, Take));
}

Snapshot Snapshot::Without(const Allocation& allocation) const {
  return With(ChangesOf(impl_->cluster, allocation, GiveBack));
}

const Features& Snapshot::features() const {
  return impl_->cluster.features();
}

Snapshot::Slice Snapshot::FindSlice(std::string_view name) const {
  return impl_->cluster.inventory().FindSlice(name);
}

Snapshot::Class Snapshot::FindClass(std::string_view name) const {
  return impl_->cluster.inventory().FindClass(name);
}

std::vector<Snapshot::Slice> Snapshot::SlicesOfNode(std::string_view node) const {
  const inventory::Inventory& inventory = impl_->cluster.inventory();
  std::vector<Slice> slices;
  for (const auto* slice : inventory.OfNode(node))
    slices.push_back(inventory.FindSlice(slice->metadata.name));
  return slices;
}

AllocatedState Snapshot::State() const {
  return impl_->cluster.State();
}

Frozen<ClusterState> Internals::ClusterOf(const Snapshot& snapshot) {
  return {snapshot.impl_, &snapshot.impl_->cluster};
}

}  // namespace dray::allocator
