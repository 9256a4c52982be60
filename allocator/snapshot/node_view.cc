// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/node_view.h"

#include <algorithm>
#include <utility>

#include "allocator/rules/node_match.h"

namespace dray::allocator::snapshot {
namespace {

namespace v1 = api::resource_v1;

bool ReadsLabels(const v1::ResourceSlice& slice) {
  return slice.spec.node_selector.has_value() ||
         (slice.spec.per_device_node_selection.value_or(false) &&
          std::ranges::any_of(slice.spec.devices,
                              [](const v1::Device& d) { return d.node_selector.has_value(); }));
}

class ViewBuilder {
 public:
  ViewBuilder(const PoolLookup& pools, const api::core_v1::Node& node)
      : pools_(pools), node_(node) {}

  void Add(const rules::Pool& pool) {
    NodeView::Pool& added = view_.pools.emplace_back();
    added.state = pool.state;
    view_.any_invalid = view_.any_invalid || pool.state == rules::PoolState::kInvalid;
    view_.any_incomplete = view_.any_incomplete || pool.state == rules::PoolState::kIncomplete;
    view_.fingerprint.push_back(static_cast<uint64_t>(pool.state));
    if (pool.state != rules::PoolState::kComplete) return;
    for (const std::vector<rules::DeviceEntry>& entries : pool.slices) {
      if (!entries.empty()) AddSlice(*entries.front().slice, added);
    }
    CheckCounters(added);
  }

  void NeedsLiteral() { view_.needs_literal = true; }
  void ReadLabels() { view_.reads_labels = true; }

  Frozen<NodeView> Finish() {
    if (chooses_) view_.on_node = std::move(on_node_);
    for (const uint64_t word : view_.on_node) view_.fingerprint.push_back(word);
    return std::make_shared<const NodeView>(std::move(view_));
  }

 private:
  void AddSlice(const v1::ResourceSlice& slice, NodeView::Pool& pool) {
    if (pool.facts == nullptr) std::tie(pool.id, pool.facts) = pools_.PoolOf(slice);
    const SliceFacts* const facts = pool.facts->Find(&slice);
    const SliceContent& content = *facts->content;
    const auto index = static_cast<uint32_t>(view_.segments.size());
    view_.segments.push_back({.facts = facts,
                              .pool = static_cast<uint32_t>(view_.pools.size() - 1),
                              .word = view_.words});
    view_.fingerprint.push_back(content.id);
    view_.fingerprint.push_back(facts->first_word);
    view_.segment_of.insert(view_.segment_of.end(), content.words(), index);
    view_.words += content.words();
    on_node_.resize(view_.words, ~uint64_t{0});
    if (slice.spec.per_device_node_selection.value_or(false)) ChooseDevices(slice);
    pool.draws_counters = pool.draws_counters ||
                          std::ranges::any_of(slice.spec.devices, [](const v1::Device& device) {
                            return !device.consumes_counters.empty();
                          });
  }

  void ChooseDevices(const v1::ResourceSlice& slice) {
    chooses_ = true;
    const size_t first = view_.segments.back().word * 64;
    for (size_t i = 0; i < slice.spec.devices.size(); ++i) {
      const Result<bool> usable = rules::IsUsableOn(node_, slice.spec.devices[i]);
      if (!usable) view_.needs_literal = true;
      if (usable && *usable) continue;
      on_node_[(first + i) / 64] &= ~(uint64_t{1} << ((first + i) % 64));
    }
  }

  void CheckCounters(const NodeView::Pool& pool) {
    if (!pool.draws_counters) return;
    const bool known =
        pool.facts->is_whole && pool.facts->counters != nullptr && pool.facts->counters->usable;
    if (!known) view_.needs_literal = true;
    if (pool.facts->counters != nullptr) view_.fingerprint.push_back(pool.facts->counters->id);
  }

  const PoolLookup& pools_;
  const api::core_v1::Node& node_;
  NodeView view_;
  std::vector<uint64_t> on_node_;
  bool chooses_ = false;
};

}  // namespace

Frozen<NodeView> MakeNodeView(const inventory::Inventory& inventory,
                              const PoolLookup& pools,
                              const api::core_v1::Node& node,
                              const Features& features) {
  ViewBuilder builder(pools, node);
  for (const auto* list : {&inventory.OfNode(node.metadata.name), &inventory.shared()}) {
    if (std::ranges::any_of(*list, [](const auto* slice) { return ReadsLabels(*slice); }))
      builder.ReadLabels();
  }
  const Result<rules::GatheredPools> gathered = rules::GatherPools(inventory, node, features);
  if (gathered) {
    for (const rules::Pool& pool : gathered->pools) builder.Add(pool);
  } else {
    builder.NeedsLiteral();
  }
  return builder.Finish();
}

}  // namespace dray::allocator::snapshot
