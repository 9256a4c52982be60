// SPDX-License-Identifier: Apache-2.0
// The objects of one snapshot that the answer to a list contains.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "server/storage/item.h"
#include "server/storage/item_group.h"
#include "server/storage/stored_object.h"
#include "store/snapshot.h"

namespace dray::server::storage {

/// Items in key order, either one by one or in groups whose texts other lists share. Belongs to one
/// thread.
class ItemList {
 public:
  class Iterator {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(const Item* const* at) : at_(at) {}
    const Item& operator*() const { return **at_; }
    const Item* operator->() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const Item* const* at_ = nullptr;
  };
  using Groups = std::vector<std::shared_ptr<const ItemGroup>>;

  ItemList() = default;
  /// A list of the items of `groups`, which are in `snapshot`.
  ItemList(Frozen<store::Snapshot> snapshot, Groups groups)
      : snapshot_(std::move(snapshot)), groups_(std::move(groups)) {}

  /// Keeps `claim` alive as long as the list.
  void Hold(std::shared_ptr<const void> claim) { claims_.push_back(std::move(claim)); }
  void Reserve(size_t items) { items_.reserve(items); }
  /// Preconditions: `found.item` is not null; the list has no groups.
  void Add(ItemRef found) { AddItem(std::move(found)); }
  /// Keeps what was read for a group decoded until it is wanted again, at the latest as long as
  /// the list.
  void HoldRead(ItemRef found) { owners_.push_back(std::move(found.owner)); }

  /// The groups of the list; empty when its items were added one by one.
  const Groups& groups() const { return groups_; }

  size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const Item& operator[](size_t index) const { return *all()[index]; }
  Iterator begin() const { return Iterator(all().data()); }
  Iterator end() const { return Iterator(all().data() + all().size()); }
  /// All items, also those of groups.
  std::span<const Item* const> all() const {
    if (items_.empty()) {
      for (const auto& group : groups_) {
        for (ItemRef& found : group->Read()) AddItem(std::move(found));
      }
    }
    return items_;
  }

 private:
  void AddItem(ItemRef found) const {
    items_.push_back(found.item);
    owners_.push_back(std::move(found.owner));
  }

  Frozen<store::Snapshot> snapshot_;
  Groups groups_;
  mutable std::vector<const Item*> items_;  // of a list of groups: filled by all()
  mutable std::vector<std::shared_ptr<const StoredObject>> owners_;
  std::vector<std::shared_ptr<const void>> claims_;
};

}  // namespace dray::server::storage
