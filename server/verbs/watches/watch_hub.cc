// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watches/watch_hub.h"

#include <algorithm>

#include "server/errors/errors.h"

namespace dray::server::verbs::inline watches {
namespace {

constexpr std::string_view kAllKeys = "/registry/";
constexpr size_t kBatchEventsMax = 1024;

}  // namespace

WatchHub::Registration::~Registration() {
  if (hub_ != nullptr) hub_->Remove(scope_, watcher_.get());
}

WatchHub::WatchHub(store::Store& store) : store_(store), seen_(store.Read()->revision()) {
  Result<store::Subscription> subscription =
      store_.Subscribe([this](Revision newest) { OnCommit(newest); });
  if (subscription.has_value()) {
    subscription_ = *std::move(subscription);
  } else {
    failure_ = subscription.error();
  }
}

Result<ShareBudget::Claim> WatchHub::Claim(const Frozen<ShareOwner>& owner, size_t selector_bytes) {
  ShareBudget::Claim claim(places_, owner);
  if (!claim.Resize(1 + selector_bytes / kSelectorBytesOfWatch)) {
    return Fail(errors::TooManyRequests());
  }
  return claim;
}

Result<WatchHub::Registration> WatchHub::Add(std::string scope, std::shared_ptr<Wakeable> watcher) {
  if (failure_.has_value()) return Fail(*failure_);
  const MutexLock lock(mutex_);
  if (watches_ >= kWatchesMax) {
    return Fail(errors::TooManyRequests());
  }
  ++scopes_[scope][watcher.get()].registrations;
  ++watches_;
  return Registration(this, std::move(scope), std::move(watcher));
}

// The registration keeps the watcher alive until the lock is released.
void WatchHub::Remove(const std::string& scope, Wakeable* watcher) {
  const MutexLock lock(mutex_);
  --watches_;
  const auto found = scopes_.find(scope);
  const auto watch = found->second.find(watcher);
  if (--watch->second.registrations > 0) return;
  found->second.erase(watch);
  if (found->second.empty()) scopes_.erase(found);
}

void WatchHub::OnCommit(Revision newest) {
  const MutexLock lock(mutex_);
  ++round_;
  const Revision before = seen_;
  bool all_know = true;
  while (seen_ < newest) {
    const Result<store::Batch> batch = store_.EventsAfter(seen_, kAllKeys, kBatchEventsMax);
    // The store has dropped events that the hub has not read: any watch may have missed one.
    if (!batch.has_value()) {
      seen_ = newest;
      WakeAll();
      return;
    }
    for (const Frozen<store::Event>& event : batch->events) {
      all_know &= Wake(event->record->key());
    }
    if (batch->through == seen_) break;
    seen_ = batch->through;
  }
  if (!all_know) seen_ = before;
}

// Wakes each scope that contains the key: its folders, and the key itself.
bool WatchHub::Wake(std::string_view key) {
  bool all_know = true;
  for (size_t end = key.find('/', kAllKeys.size()); end != std::string_view::npos;
       end = key.find('/', end + 1)) {
    all_know &= WakeScope(key.substr(0, end + 1));
  }
  return WakeScope(key) && all_know;
}

bool WatchHub::WakeScope(std::string_view scope) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return true;
  bool all_know = true;
  for (auto& [watcher, watch] : found->second) {
    if (watch.round == round_) continue;
    watch.round = round_;
    all_know &= TryWake(*watcher);
  }
  return all_know;
}

void WatchHub::WakeBelow(std::string_view prefix) {
  const MutexLock lock(mutex_);
  for (auto scope = scopes_.lower_bound(prefix);
       scope != scopes_.end() && scope->first.starts_with(prefix);
       ++scope) {
    for (auto& [watcher, watch] : scope->second) {
      // As in WakeAll().
      if (!TryWake(*watcher)) continue;
    }
  }
}

void WatchHub::WakeAll() {
  for (auto& [scope, watchers] : scopes_) {
    for (auto& [watcher, watch] : watchers) {
      // A watcher whose wake fails is woken by the next commit of its scope, or by its own timer.
      if (!TryWake(*watcher)) continue;
    }
  }
}

}  // namespace dray::server::verbs::inline watches
