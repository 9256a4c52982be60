// SPDX-License-Identifier: Apache-2.0
#include "server/storage/list_cache.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/world.h"
#include "server/storage/stored_object.h"

namespace dray::server::storage {

std::shared_ptr<const ItemGroup> ListCache::Begun::Find(const store::Tree::Node* page) const {
  if (kept == nullptr || page == nullptr) return nullptr;
  const auto found = kept->find(page);
  return found == kept->end() ? nullptr : found->second;
}

ListCache::Entry* ListCache::Find(View view, std::string_view prefix) {
  const Frozen<api::CustomVersion> rules = view.rules();
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.view.kind == view.kind && entry.view.release == view.release &&
           entry.rules == rules && entry.prefix == prefix;
  });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return &entries_.front();
}

std::list<ListCache::Entry> ListCache::TakeIdle(WallTime now) {
  std::list<Entry> idle;
  while (!entries_.empty() && now - entries_.back().used > kIdleMax) {
    idle.splice(idle.end(), entries_, std::prev(entries_.end()));
  }
  return idle;
}

void ListCache::DropIdle(WallTime now) {
  std::list<Entry> gone;  // destroyed after the lock is released, because groups may be many
  const MutexLock lock(mutex_);
  gone = TakeIdle(now);
}

ListCache::Begun ListCache::Begin(View view, std::string_view prefix, WallTime now) {
  std::list<Entry> gone;  // as in DropIdle
  const MutexLock lock(mutex_);
  gone = TakeIdle(now);
  Entry* const entry = Find(view, prefix);
  if (entry != nullptr) {
    entry->used = now;
    return {.kept = entry->kept, .budget = budget_};
  }
  entries_.push_front({.view = view,
                       .rules = view.rules(),
                       .prefix = std::string(prefix),
                       .used = now,
                       .kept = nullptr});
  if (entries_.size() > kListsMax) gone.splice(gone.end(), entries_, std::prev(entries_.end()));
  return {};
}

void ListCache::Keep(View view, std::string_view prefix, Kept groups) {
  auto kept = std::make_shared<const Kept>(std::move(groups));
  std::shared_ptr<const Kept> before;  // destroyed after the lock is released
  std::list<Entry> gone;
  const MutexLock lock(mutex_);
  Entry* const entry = Find(view, prefix);
  if (entry == nullptr) return;  // newer lists pushed it out
  before = std::exchange(entry->kept, std::move(kept));
  // Drop all other collections when less than half the budget is free for the one listed now.
  if (budget_->used() <= budget_->bytes_max() / 2 || entries_.size() == 1) return;
  gone.splice(gone.end(), entries_, std::next(entries_.begin()), entries_.end());
}

}  // namespace dray::server::storage
