// SPDX-License-Identifier: Apache-2.0
#include "allocator/inventory/inventory.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

namespace dray::allocator::inventory {
namespace {

namespace v1 = api::resource_v1;

const Inventory::Slices kNoSlices;

bool HasNodeName(const v1::ResourceSlice& slice) {
  return slice.spec.node_name.has_value() && !slice.spec.node_name->empty();
}

/// Changes one list of a map; an empty one is not kept.
template <class List, class Edit>
void EditList(PersistentMap<std::shared_ptr<List>>& lists, std::string_view key, Edit edit) {
  std::shared_ptr<List>& list = lists[key];
  if (list == nullptr) {
    list = std::make_shared<List>();
  } else if (list.use_count() > 1) {  // shared with other snapshots
    list = std::make_shared<List>(*list);
  }
  edit(*list);
  if (list->slices.empty()) lists.Erase(key);
}

}  // namespace

std::string PoolText(std::string_view driver, std::string_view pool) {
  std::string text;
  text.reserve(driver.size() + pool.size() + 1);
  return text.append(driver).append("/").append(pool);
}

void Inventory::List::Insert(const Slice& slice, uint64_t order) {
  const auto at = std::ranges::lower_bound(orders, order) - orders.begin();
  slices.insert(slices.begin() + at, slice.get());
  owned.insert(owned.begin() + at, slice);
  orders.insert(orders.begin() + at, order);
}

void Inventory::List::Remove(uint64_t order) {
  const auto at = std::ranges::lower_bound(orders, order) - orders.begin();
  slices.erase(slices.begin() + at);
  owned.erase(owned.begin() + at);
  orders.erase(orders.begin() + at);
}

Frozen<Inventory> Inventory::Build(std::vector<Slice> slices, const std::vector<Class>& classes) {
  auto inventory = std::make_shared<Inventory>();
  // Names are unique in a cluster, but a file may say anything: what is given twice is there twice.
  size_t copies = 0;
  for (Slice& slice : slices) {
    const uint64_t order = inventory->next_order_++;
    inventory->Index(slice, order);
    std::string name = slice->metadata.name;
    if (inventory->by_name_.Find(name) != nullptr) name += "\n" + std::to_string(++copies);
    inventory->by_name_[name] = {.slice = std::move(slice), .order = order};
  }
  for (const Class& device_class : classes)
    inventory->classes_[device_class->metadata.name] = device_class;
  return inventory;
}

Frozen<Inventory> Inventory::With(std::span<const ClusterChange> changes) const {
  auto next = std::make_shared<Inventory>(*this);
  for (const ClusterChange& change : changes) {
    if (const auto* slice = std::get_if<Slice>(&change)) {
      next->Put(*slice);
    } else if (const auto* removed = std::get_if<SliceRemoved>(&change)) {
      next->Remove(removed->name);
    } else if (const auto* device_class = std::get_if<Class>(&change)) {
      next->classes_[(*device_class)->metadata.name] = *device_class;
    } else if (const auto* gone = std::get_if<ClassRemoved>(&change)) {
      next->classes_.Erase(gone->name);
    }
  }
  return next;
}

void Inventory::Put(Slice slice) {
  const std::string& name = slice->metadata.name;
  uint64_t order = 0;
  if (const Known* known = by_name_.Find(name)) {
    order = known->order;
    Unindex(*known->slice, order);
  } else {
    order = next_order_++;
  }
  Index(slice, order);
  Known& known = by_name_[name];
  known = {.slice = std::move(slice), .order = order};
}

void Inventory::Remove(std::string_view name) {
  const Known* const known = by_name_.Find(name);
  if (known == nullptr) return;
  Unindex(*known->slice, known->order);
  by_name_.Erase(name);
}

void Inventory::Index(const Slice& slice, uint64_t order) {
  device_count_ += slice->spec.devices.size();
  const auto insert = [&](List& list) { list.Insert(slice, order); };
  if (HasNodeName(*slice)) {
    EditList(by_node_, *slice->spec.node_name, insert);
  } else {
    insert(shared_);
  }
  EditList(by_pool_, PoolText(slice->spec.driver, slice->spec.pool.name), insert);
}

void Inventory::Unindex(const v1::ResourceSlice& slice, uint64_t order) {
  device_count_ -= slice.spec.devices.size();
  const auto remove = [&](List& list) { list.Remove(order); };
  if (HasNodeName(slice)) {
    EditList(by_node_, *slice.spec.node_name, remove);
  } else {
    remove(shared_);
  }
  EditList(by_pool_, PoolText(slice.spec.driver, slice.spec.pool.name), remove);
}

const Inventory::Slices& Inventory::OfNode(std::string_view node) const {
  const auto* const found = by_node_.Find(node);
  return found == nullptr ? kNoSlices : (*found)->slices;
}

const Inventory::Slices& Inventory::OfPool(std::string_view driver, std::string_view pool) const {
  const auto* const found = by_pool_.Find(PoolText(driver, pool));
  return found == nullptr ? kNoSlices : (*found)->slices;
}

std::span<const Inventory::Slice> Inventory::OwnedOfPool(std::string_view driver,
                                                         std::string_view pool) const {
  const auto* const found = by_pool_.Find(PoolText(driver, pool));
  if (found == nullptr) return {};
  return (*found)->owned;
}

Inventory::Slice Inventory::FindSlice(std::string_view name) const {
  const Known* const known = by_name_.Find(name);
  return known == nullptr ? nullptr : known->slice;
}

Inventory::Class Inventory::FindClass(std::string_view name) const {
  const Class* const found = classes_.Find(name);
  return found == nullptr ? nullptr : *found;
}

std::vector<Inventory::Slice> Inventory::slices() const {
  std::vector<Known> known;
  known.reserve(by_name_.size());
  by_name_.ForEach([&](const std::string&, const Known& one) { known.push_back(one); });
  std::ranges::sort(known, {}, &Known::order);
  std::vector<Slice> slices;
  slices.reserve(known.size());
  for (Known& one : known) slices.push_back(std::move(one.slice));
  return slices;
}

std::vector<Inventory::Class> Inventory::classes() const {
  std::vector<Class> classes;
  classes_.ForEach([&](const std::string&, const Class& one) { classes.push_back(one); });
  return classes;
}

}  // namespace dray::allocator::inventory
