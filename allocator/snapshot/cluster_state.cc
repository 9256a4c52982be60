// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/cluster_state.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "allocator/inventory/inventory.h"
#include "allocator/rules/release_rules.h"
#include "base/mutex.h"

namespace dray::allocator::snapshot {
namespace {

namespace v1 = api::resource_v1;

constexpr size_t kKnownMin = 4096;

/// Whether most of what is known is about devices or slices that went.
bool IsMostlyGone(size_t known, size_t existing) {
  return known > kKnownMin && known > 2 * existing;
}

/// Views of nodes that went are dropped when there are more than this, and than twice the slices.
constexpr size_t kViewsKept = 16 * 1024;

std::pair<std::string_view, std::string_view> SplitPoolText(std::string_view text) {
  const size_t slash = text.find('/');
  return {text.substr(0, slash), text.substr(slash + 1)};
}

/// The state by pool and device. The state's own order makes this one pass.
std::map<std::string, UseByDevice, std::less<>> ByPool(const AllocatedState& state) {
  std::map<DeviceIdView, DeviceUse> uses;
  for (const DeviceId& id : state.devices)
    uses.emplace_hint(uses.end(), id.view(), DeviceUse{.whole = true});
  for (const SharedDeviceId& id : state.shares) ++uses[id.device.view()].shares;
  for (const auto& [id, amounts] : state.capacity) uses[id.view()].capacity = amounts;
  std::map<std::string, UseByDevice, std::less<>> pools;
  UseByDevice* uses_of_pool = nullptr;
  DeviceIdView of;
  for (auto& [id, use] : uses) {
    if (uses_of_pool == nullptr || of.pool != id.pool || of.driver != id.driver)
      uses_of_pool = &pools[inventory::PoolText(id.driver, id.pool)];
    of = id;
    uses_of_pool->emplace_back(std::string(id.device), std::move(use));
  }
  return pools;
}

/// Applies one change after the other.
UseByDevice Merge(const UseByDevice& known, const UseByDevice& changes) {
  UseByDevice merged = known;
  for (const auto& [device, use] : changes) {
    const auto at = std::ranges::lower_bound(
        merged, device, {}, [](const auto& e) { return std::string_view(e.first); });
    const bool is_known = at != merged.end() && at->first == device;
    if (use.IsNothing()) {
      if (is_known) merged.erase(at);
    } else if (is_known) {
      at->second = use;
    } else {
      merged.emplace(at, device, use);
    }
  }
  return merged;
}

}  // namespace

class ClusterState::Family {
 public:
  Family(const Features& features, std::shared_ptr<cel::SelectorCache> selectors)
      : features_(features), selectors_(std::move(selectors)), shapes_(features_, selectors_) {}

  const Features& features() const { return features_; }
  const std::shared_ptr<cel::SelectorCache>& selectors() const { return selectors_; }
  Shapes& shapes() { return shapes_; }
  Contents& contents() { return contents_; }
  /// Greater than all numbers before.
  uint64_t NextChange() { return ++changes_; }

  template <class Make>
  Frozen<NodeView> View(const api::core_v1::Node& node, uint64_t stamp, size_t slices, Make make) {
    {
      const MutexLock lock(mutex_);
      const auto known = views_.find(node.metadata.name);
      if (known != views_.end() && known->second.IsFor(node, stamp)) return known->second.view;
    }
    Entry entry{.stamp = stamp, .view = make()};
    if (entry.view->reads_labels) entry.labels = node.metadata.labels;
    Frozen<NodeView> view = entry.view;
    const MutexLock lock(mutex_);
    if (views_.size() > std::max(kViewsKept, 2 * slices)) views_.clear();
    views_.insert_or_assign(node.metadata.name, std::move(entry));
    return view;
  }

 private:
  struct Entry {
    uint64_t stamp = 0;
    Frozen<NodeView> view;
    decltype(api::meta_v1::ObjectMeta::labels) labels = {};

    bool IsFor(const api::core_v1::Node& node, uint64_t wanted) const {
      return stamp == wanted && (!view->reads_labels || labels == node.metadata.labels);
    }
  };

  const Features features_;
  const std::shared_ptr<cel::SelectorCache> selectors_;
  Shapes shapes_;
  Contents contents_;
  std::atomic<uint64_t> changes_ = 0;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> views_ DRAY_GUARDED_BY(mutex_);
};

/// For views of nodes.
class ClusterState::Pools final : public PoolLookup {
 public:
  explicit Pools(const ClusterState& snapshot) : snapshot_(snapshot) {}
  std::pair<uint32_t, Frozen<PoolFacts>> PoolOf(const v1::ResourceSlice& slice) const override {
    const uint32_t id =
        *snapshot_.pool_ids_.Find(inventory::PoolText(slice.spec.driver, slice.spec.pool.name));
    return {id, snapshot_.pools_[id]};
  }

 private:
  const ClusterState& snapshot_;
};

ClusterState::ClusterState(const Features& features,
                           std::shared_ptr<cel::SelectorCache> selectors,
                           Frozen<inventory::Inventory> inventory,
                           const AllocatedState& state)
    : family_(std::make_shared<Family>(features, std::move(selectors))),
      inventory_(std::move(inventory)) {
  std::map<std::string, UseByDevice, std::less<>> by_pool = ByPool(state);
  inventory_->ForEachPool([&](std::string_view pool, const inventory::Inventory::Slices&) {
    const auto [driver, name] = SplitPoolText(pool);
    const uint32_t id = PoolId(driver, name);
    if (const auto found = by_pool.find(pool); found != by_pool.end()) {
      auto use = std::make_shared<PoolUse>();
      use->by_device = std::move(found->second);
      uses_.Set(id, std::move(use));
      by_pool.erase(found);
    }
    RebuildPool(driver, name);
  });
  for (auto& [pool, devices] : by_pool) {
    const auto [driver, name] = SplitPoolText(pool);
    auto use = std::make_shared<PoolUse>();
    use->by_device = std::move(devices);
    uses_.Set(PoolId(driver, name), std::move(use));
  }
}

uint32_t ClusterState::PoolId(std::string_view driver, std::string_view pool) {
  const std::string text = inventory::PoolText(driver, pool);
  if (const uint32_t* known = pool_ids_.Find(text)) return *known;
  const auto id = static_cast<uint32_t>(pools_.size());
  pool_ids_[text] = id;
  pools_.Set(id, std::make_shared<const PoolFacts>());
  uses_.Set(id, std::make_shared<const PoolUse>());
  return id;
}

/// After its slices changed.
void ClusterState::RebuildPool(std::string_view driver, std::string_view pool) {
  const uint32_t id = PoolId(driver, pool);
  auto facts = std::make_shared<PoolFacts>();
  std::vector<Frozen<SliceContent>> contents;
  const std::span<const inventory::Inventory::Slice> slices = inventory_->OwnedOfPool(driver, pool);
  bool same_generation = true;
  for (const inventory::Inventory::Slice& slice : slices) {
    SliceFacts& added = facts->slices.emplace_back();
    added.slice = slice;
    added.content = family_->contents().Of(added.slice, family_->shapes());
    added.first_word = facts->words;
    facts->words += added.content->words();
    contents.push_back(added.content);
    same_generation =
        same_generation && slice->spec.pool.generation == slices.front()->spec.pool.generation;
  }
  facts->is_whole =
      same_generation && !slices.empty() &&
      slices.front()->spec.pool.resource_slice_count == static_cast<int64_t>(slices.size());
  if (facts->is_whole) facts->counters = family_->contents().CountersOf(contents);
  auto use = std::make_shared<PoolUse>();
  use->by_device = uses_[id]->by_device;
  Resolve(*facts, family_->contents(), rules::RulesOf(features()).knows_shares, *use);
  pools_.Set(id, std::move(facts));
  uses_.Set(id, std::move(use));
}

/// Nodes that may see the slice see another pool now.
void ClusterState::Touch(const v1::ResourceSlice& slice, uint64_t now) {
  const bool is_everywhere = rules::RulesOf(features()).counter_slices_are_everywhere &&
                             !slice.spec.shared_counters.empty();
  const bool has_node = slice.spec.node_name.has_value() && !slice.spec.node_name->empty();
  if (has_node) changed_[*slice.spec.node_name] = now;
  if (!has_node || is_everywhere) all_changed_ = now;
}

ClusterState ClusterState::With(std::span<const ClusterChange> changes) const {
  ClusterState next = *this;
  std::vector<inventory::Inventory::Slice> touched;
  for (const ClusterChange& change : changes) {
    std::string_view name;
    if (const auto* put = std::get_if<inventory::Inventory::Slice>(&change)) {
      touched.push_back(*put);
      name = (*put)->metadata.name;
    } else if (const auto* removed = std::get_if<SliceRemoved>(&change)) {
      name = removed->name;
    }
    if (inventory::Inventory::Slice old = inventory_->FindSlice(name))
      touched.push_back(std::move(old));
  }
  next.inventory_ = inventory_->With(changes);
  if (IsMostlyGone(family_->shapes().size(), next.inventory_->device_count()) ||
      IsMostlyGone(family_->contents().size(), next.inventory_->slice_count())) {
    return {features(), selectors(), next.inventory_, State()};
  }
  const uint64_t now = family_->NextChange();
  std::set<std::pair<std::string_view, std::string_view>> pools;
  for (const inventory::Inventory::Slice& slice : touched) {
    pools.emplace(slice->spec.driver, slice->spec.pool.name);
    next.Touch(*slice, now);
  }
  for (const auto& [driver, pool] : pools) {
    for (const auto* slice : next.inventory_->OfPool(driver, pool)) next.Touch(*slice, now);
    next.RebuildPool(driver, pool);
  }
  return next;
}

ClusterState ClusterState::With(std::span<const DeviceUseChange> changes) const {
  ClusterState next = *this;
  // Changes come sorted by claim, not by pool: gather those of a pool.
  std::map<uint32_t, UseByDevice> by_pool;
  for (const DeviceUseChange& change : changes) {
    by_pool[next.PoolId(change.device.driver, change.device.pool)].emplace_back(
        change.device.device, change.use);
  }
  for (const auto& [pool, uses] : by_pool) next.ChangeUse(pool, uses);
  return next;
}

void ClusterState::ChangeUse(uint32_t pool, const UseByDevice& changes) {
  auto use = std::make_shared<PoolUse>();
  use->by_device = Merge(uses_[pool]->by_device, changes);
  Resolve(*pools_[pool], family_->contents(), rules::RulesOf(features()).knows_shares, *use);
  uses_.Set(pool, std::move(use));
}

const Features& ClusterState::features() const {
  return family_->features();
}

const std::shared_ptr<cel::SelectorCache>& ClusterState::selectors() const {
  return family_->selectors();
}

Shapes& ClusterState::shapes() const {
  return family_->shapes();
}

AllocatedState ClusterState::State() const {
  AllocatedState state;
  pool_ids_.ForEach([&](std::string_view text, uint32_t id) {
    const auto [driver, pool] = SplitPoolText(text);
    for (const auto& [device, use] : uses_[id]->by_device) {
      DeviceId name{std::string(driver), std::string(pool), device};
      if (use.capacity.has_value()) state.capacity.emplace(name, *use.capacity);
      for (size_t i = 0; i < use.shares; ++i)
        state.shares.insert({.device = name, .share = std::to_string(i)});
      if (use.whole) state.devices.insert(std::move(name));
    }
  });
  return state;
}

DeviceUse ClusterState::UseOfDevice(const DeviceIdView& id) const {
  const uint32_t* const pool = pool_ids_.Find(inventory::PoolText(id.driver, id.pool));
  if (pool == nullptr) return {};
  const UseByDevice& uses = uses_[*pool]->by_device;
  const auto at = std::ranges::lower_bound(
      uses, id.device, {}, [](const auto& entry) { return std::string_view(entry.first); });
  return at != uses.end() && at->first == id.device ? at->second : DeviceUse();
}

Frozen<NodeView> ClusterState::ViewOf(const api::core_v1::Node& node) const {
  const uint64_t* const changed = changed_.Find(node.metadata.name);
  const uint64_t stamp = std::max(all_changed_, changed == nullptr ? 0 : *changed);
  return family_->View(node, stamp, inventory_->slice_count(), [&] {
    return MakeNodeView(*inventory_, Pools(*this), node, features());
  });
}

std::string ClusterState::DifferenceFromRebuild() const {
  const ClusterState built(features(),
                           selectors(),
                           inventory::Inventory::Build(inventory_->slices(), inventory_->classes()),
                           State());
  std::string difference;
  built.pool_ids_.ForEach([&](const std::string& text, uint32_t id) {
    const uint32_t* const own = pool_ids_.Find(text);
    if (own == nullptr) {
      difference = "no pool " + text;
      return;
    }
    const PoolFacts& a = *pools_[*own];
    const PoolFacts& b = *built.pools_[id];
    const PoolUse& x = *uses_[*own];
    const PoolUse& y = *built.uses_[id];
    const bool same_slices =
        std::ranges::equal(a.slices, b.slices, [](const auto& p, const auto& q) {
          return p.slice == q.slice && p.first_word == q.first_word;
        });
    if (!same_slices || a.is_whole != b.is_whole ||
        (a.counters == nullptr) != (b.counters == nullptr))
      difference = "slices of pool " + text;
    if (x.whole != y.whole || x.shared != y.shared || x.capacity != y.capacity ||
        x.available != y.available || x.overdrawn != y.overdrawn) {
      difference = "what is taken of pool " + text;
    }
  });
  pool_ids_.ForEach([&](const std::string& text, uint32_t id) {
    if (built.pool_ids_.Find(text) == nullptr && !pools_[id]->slices.empty())
      difference = "pool " + text + " has gone";
  });
  return difference;
}

}  // namespace dray::allocator::snapshot
