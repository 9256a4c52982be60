// SPDX-License-Identifier: Apache-2.0
// The items of one page of the store, and their text in lists.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "server/storage/item.h"
#include "server/storage/stored_object.h"
#include "store/tree.h"

namespace dray::server::storage {

/// Limits the bytes of text that all groups keep together. Safe from any thread.
class TextBudget {
 public:
  explicit TextBudget(size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Reserves `bytes`; false if they would exceed the limit.
  bool Take(size_t bytes);
  void GiveBack(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  size_t bytes_max() const { return bytes_max_; }

 private:
  const size_t bytes_max_;
  std::atomic<size_t> used_ = 0;
};

/// The items of the records of one page of the store (store::Tree::Group), in key order. One thread
/// fills the group; from then on it does not change, and is safe from any thread.
class ItemGroup {
 public:
  /// `page` keeps the records alive; when it is null, the caller must. Texts are kept while
  /// `budget` has room; when it has none or is null, each call makes them.
  ItemGroup(store::Tree::PageRef page, std::shared_ptr<TextBudget> budget)
      : page_(std::move(page)), budget_(std::move(budget)) {}
  ItemGroup(const ItemGroup&) = delete;
  ItemGroup& operator=(const ItemGroup&) = delete;
  ~ItemGroup();

  void Reserve(size_t items) { items_.reserve(items); }
  /// Precondition: `found.item` is not null.
  void Add(ItemRef found);

  const store::Tree::Node* page() const { return page_.get(); }
  std::span<const Item* const> items() const { return items_; }

  /// The items as elements of a JSON list: `,{…},{…}`, a comma before each. O(size), or O(1) when
  /// kept.
  Frozen<std::string> Json() const;
  /// The items as elements of a protobuf list: fields of number 2. O(size), or O(1) when kept.
  Frozen<std::string> Messages() const;

 private:
  using Made = std::string (*)(std::span<const Item* const>);
  Frozen<std::string> Text(Frozen<std::string>& kept, Made make) const DRAY_REQUIRES(mutex_);

  const store::Tree::PageRef page_;
  const std::shared_ptr<TextBudget> budget_;
  std::vector<const Item*> items_;
  std::vector<std::shared_ptr<const StoredObject>> owners_;
  mutable Mutex mutex_;
  mutable Frozen<std::string> json_ DRAY_GUARDED_BY(mutex_);
  mutable Frozen<std::string> messages_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
