// SPDX-License-Identifier: Apache-2.0
// Many objects of one snapshot, as a list answers with them.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/published.h"
#include "server/storage/item.h"
#include "server/storage/stored_object.h"
#include "store/snapshot.h"

namespace dray::server::storage {

/// Items where they lie: the snapshot holds them all, so that ten thousand cost ten thousand
/// addresses and no reference counts, each of which would be a miss of the cache.
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

  ItemList() = default;
  /// Of items in `snapshot`.
  explicit ItemList(Frozen<store::Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  void Reserve(size_t items) { items_.reserve(items); }
  /// Precondition: there is an item, in the snapshot.
  void Add(ItemRef found) {
    items_.push_back(found.item);
    if (found.owner != nullptr) owners_.push_back(std::move(found.owner));
  }

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const Item& operator[](size_t index) const { return *items_[index]; }
  Iterator begin() const { return Iterator(items_.data()); }
  Iterator end() const { return Iterator(items_.data() + items_.size()); }
  std::span<const Item* const> all() const { return items_; }

 private:
  Frozen<store::Snapshot> snapshot_;
  std::vector<const Item*> items_;
  std::vector<std::shared_ptr<const StoredObject>> owners_;
};

}  // namespace dray::server::storage
