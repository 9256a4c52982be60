// SPDX-License-Identifier: Apache-2.0
// The items of one page of the store: their texts in lists, which are kept, and the items
// themselves, which are not.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
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

/// The items of the records of one page of the store (store::Tree::Group), in key order. Immutable
/// but for the texts that it keeps; safe from any thread.
class ItemGroup {
 public:
  /// The items of `records` in `view`, of which there are `size`; other records show nothing. The
  /// page of `records` keeps them alive; when it is null, the caller must. Texts are kept while
  /// `budget` has room; when it has none or is null, each call makes them.
  ItemGroup(View view, store::Tree::Group records, size_t size, std::shared_ptr<TextBudget> budget)
      : view_(view), records_(std::move(records)), size_(size), budget_(std::move(budget)) {}
  ItemGroup(const ItemGroup&) = delete;
  ItemGroup& operator=(const ItemGroup&) = delete;
  ~ItemGroup();

  const store::Tree::Node* page() const { return records_.page.get(); }
  size_t size() const { return size_; }
  /// The items, for as long as the caller holds them. O(size), and decodes what is not decoded.
  std::vector<ItemRef> Read() const;

  /// The items as elements of a JSON list: `,{…},{…}`, a comma before each. O(size), or O(1) when
  /// kept.
  Frozen<std::string> Json() const;
  /// The items as elements of a protobuf list: fields of number 2. O(size), or O(1) when kept.
  Frozen<std::string> Messages() const;

 private:
  using Made = std::string (*)(const std::vector<ItemRef>&);
  Frozen<std::string> Text(Frozen<std::string>& kept, Made make) const DRAY_REQUIRES(mutex_);

  const View view_;
  const store::Tree::Group records_;
  const size_t size_;
  const std::shared_ptr<TextBudget> budget_;
  mutable Mutex mutex_;
  mutable Frozen<std::string> json_ DRAY_GUARDED_BY(mutex_);
  mutable Frozen<std::string> messages_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
