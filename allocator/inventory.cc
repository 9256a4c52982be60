// SPDX-License-Identifier: Apache-2.0
#include "allocator/inventory.h"

#include <memory>
#include <utility>

namespace dray::allocator {
namespace {

const std::vector<const api::resource_v1::ResourceSlice*> kNoSlices;

}  // namespace

Frozen<Inventory> Inventory::Build(std::vector<Slice> slices, const std::vector<Class>& classes) {
  auto inventory = std::make_shared<Inventory>();
  for (const Slice& slice : slices) {
    const auto& spec = slice->spec;
    if (spec.node_name.has_value() && !spec.node_name->empty()) {
      inventory->by_node_[*spec.node_name].push_back(slice.get());
    } else {
      inventory->shared_.push_back(slice.get());
    }
    inventory->by_pool_[{spec.driver, spec.pool.name}].push_back(slice.get());
  }
  inventory->slices_ = std::move(slices);
  for (const Class& device_class : classes) {
    inventory->classes_.insert_or_assign(device_class->metadata.name, device_class);
  }
  return inventory;
}

const Inventory::Slices& Inventory::OfNode(std::string_view node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? kNoSlices : found->second;
}

const Inventory::Slices& Inventory::OfPool(std::string_view driver, std::string_view pool) const {
  const auto found = by_pool_.find(std::pair(std::string(driver), std::string(pool)));
  return found == by_pool_.end() ? kNoSlices : found->second;
}

const api::resource_v1::DeviceClass* Inventory::FindClass(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : found->second.get();
}

}  // namespace dray::allocator
