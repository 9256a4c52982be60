// SPDX-License-Identifier: Apache-2.0
// What lists of whole collections share: clients that begin at the same time, or again after their
// server did, all ask for the same. A write changes the page it lies in; the groups of all others,
// with their texts, serve the next list too.
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

/// Groups of the collections that were listed lately. Safe from any thread.
class ListCache {
 public:
  /// Collections, as one version of a kind shows them, that are remembered.
  static constexpr size_t kListsMax = 64;
  /// All texts together.
  static constexpr size_t kTextBytesMax = size_t{64} << 20;
  /// A collection nobody has listed for so long is forgotten, at the next list of any.
  static constexpr std::chrono::minutes kIdleMax{1};

  explicit ListCache(size_t text_bytes_max = kTextBytesMax)
      : budget_(std::make_shared<TextBudget>(text_bytes_max)) {}

  /// Groups by the page they are of.
  using Kept = std::unordered_map<const store::Tree::Node*, std::shared_ptr<const ItemGroup>>;

  /// What a list of `prefix` begins with.
  struct Begun {
    std::shared_ptr<const Kept> kept;  // null: none
    std::shared_ptr<TextBudget>
        budget;  // of new groups; null the first time: nobody may come again

    /// The group of `page`; null when there is none.
    std::shared_ptr<const ItemGroup> Find(const store::Tree::Node* page) const;
  };
  Begun Begin(View view, std::string_view prefix, WallTime now);

  /// `groups` are what the list consists of now. Those that have no page, or could not be read in
  /// whole, are none of its business.
  void Keep(View view, std::string_view prefix, Kept groups);

 private:
  struct Entry {
    View view;
    Frozen<api::CustomVersion> rules;  // that its groups were made by
    std::string prefix;
    WallTime used;
    std::shared_ptr<const Kept> kept;
  };
  Entry* Find(View view, std::string_view prefix) DRAY_REQUIRES(mutex_);

  const std::shared_ptr<TextBudget> budget_;
  Mutex mutex_;
  std::list<Entry> entries_ DRAY_GUARDED_BY(mutex_);  // the one used last first
};

}  // namespace dray::server::storage
