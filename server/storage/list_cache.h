// SPDX-License-Identifier: Apache-2.0
// A cache that lists of whole collections share. Clients that start at the same time, or reconnect
// after a restart of their server, all list the same collections. A write changes one page of the
// store; the groups of all other pages, with their texts, serve the next list too.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/world.h"
#include "server/storage/item_group.h"
#include "server/storage/item_list.h"
#include "server/storage/stored_object.h"
#include "store/tree.h"

namespace dray::server::storage {

/// Groups of the recently listed collections, least recently used dropped first. Thread-safe.
class ListCache {
 public:
  /// Collections that are kept; each version of a kind counts as its own collection.
  static constexpr size_t kListsMax = 64;
  /// Limit of the texts of all groups together.
  static constexpr size_t kTextBytesMax = size_t{64} << 20;
  /// Those that were not listed for this long are dropped by DropIdle and by the next list.
  static constexpr std::chrono::minutes kIdleMax{1};

  explicit ListCache(size_t text_bytes_max = kTextBytesMax)
      : budget_(std::make_shared<TextBudget>(text_bytes_max)) {}

  /// Groups by their page.
  using Kept = std::unordered_map<const store::Tree::Node*, std::shared_ptr<const ItemGroup>>;

  /// What Begin returns for a list of `prefix`.
  struct Begun {
    std::shared_ptr<const Kept> kept;  // null: the cache has no groups of the collection
    // For new groups. Null at the first list, whose texts are not kept: a second list may not come.
    std::shared_ptr<TextBudget> budget;

    /// The group of `page`; null when there is none.
    std::shared_ptr<const ItemGroup> Find(const store::Tree::Node* page) const;
  };
  Begun Begin(View view, std::string_view prefix, WallTime now);

  /// Replaces the groups of the collection by `groups`. The caller leaves out groups that have no
  /// page or contain an unreadable record.
  void Keep(View view, std::string_view prefix, Kept groups);

  /// Drops what was not listed for kIdleMax: its texts, and the pages of the store that they are
  /// of.
  void DropIdle(WallTime now);

 private:
  struct Entry {
    View view;
    Frozen<api::CustomVersion> rules;  // by which the groups were made; null unless custom
    std::string prefix;
    WallTime used;
    std::shared_ptr<const Kept> kept;
  };
  Entry* Find(View view, std::string_view prefix) DRAY_REQUIRES(mutex_);
  std::list<Entry> TakeIdle(WallTime now) DRAY_REQUIRES(mutex_);

  const std::shared_ptr<TextBudget> budget_;
  Mutex mutex_;
  std::list<Entry> entries_ DRAY_GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace dray::server::storage
