// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watch_hub.h"

#include <algorithm>

#include "base/out_of_memory.h"

namespace dray::server::verbs {
namespace {

constexpr std::string_view kEverything = "/registry/";
constexpr size_t kBatchEventsMax = 1024;

// The key through its third slash.
std::string_view GroupOf(std::string_view key) {
  const size_t end = key.find('/', kEverything.size());
  return key.substr(0, end == std::string_view::npos ? key.size() : end + 1);
}

}  // namespace

WatchHub::Registration::~Registration() {
  if (hub_ != nullptr) hub_->Remove(group_, id_);
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

Result<WatchHub::Registration> WatchHub::Add(std::string prefix, std::function<void()> wake) {
  if (failure_.has_value()) return Fail(*failure_);
  std::string group(GroupOf(prefix));
  const MutexLock lock(mutex_);
  if (watches_ >= kWatchesMax) {
    return Fail(StatusReason::kTooManyRequests, "Too many requests, please try again later.");
  }
  const uint64_t id = next_id_++;
  ++watches_;
  groups_[group].emplace(id, Watch{.prefix = std::move(prefix), .wake = std::move(wake)});
  return Registration(this, id, std::move(group));
}

void WatchHub::Remove(const std::string& group, uint64_t id) {
  std::function<void()> wake;  // what it captured goes after the lock
  const MutexLock lock(mutex_);
  const auto found = groups_.find(group);
  const auto watch = found->second.find(id);
  wake.swap(watch->second.wake);
  found->second.erase(watch);
  --watches_;
  if (found->second.empty()) groups_.erase(found);
}

void WatchHub::OnCommit(Revision newest) {
  const MutexLock lock(mutex_);
  ++round_;
  const Revision before = seen_;
  bool all_know = true;
  while (seen_ < newest) {
    const Result<store::Batch> batch = store_.EventsAfter(seen_, kEverything, kBatchEventsMax);
    // Forgotten before it was looked at: somebody may have to be told so.
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

bool WatchHub::Wake(std::string_view key) {
  const auto group = groups_.find(GroupOf(key));
  if (group == groups_.end()) return true;
  bool all_know = true;
  for (auto& [id, watch] : group->second) {
    if (watch.round == round_ || !key.starts_with(watch.prefix)) continue;
    watch.round = round_;
    all_know &= HadMemory(watch.wake);
  }
  return all_know;
}

void WatchHub::WakeAll() {
  for (auto& [group, watches] : groups_) {
    for (auto& [id, watch] : watches) {
      // Who is not told now is told with the next commit of the resource, or by its own clock.
      if (!HadMemory(watch.wake)) continue;
    }
  }
}

}  // namespace dray::server::verbs
