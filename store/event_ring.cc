// SPDX-License-Identifier: Apache-2.0
#include "store/event_ring.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::store {
namespace {

/// `text` through its third slash; empty if it has fewer.
std::string_view GroupOf(std::string_view text) {
  size_t end = 0;
  for (int slashes = 0; slashes < 3; ++slashes) {
    const size_t slash = text.find('/', end);
    if (slash == std::string_view::npos) return {};
    end = slash + 1;
  }
  return text.substr(0, end);
}

// A record is counted once it is not live any more: with the event that ended it.
size_t BytesOf(const Event& event) {
  const Record* const ended = event.previous.get();
  if (ended == nullptr) return EventRing::kEventOverheadBytes;
  return EventRing::kEventOverheadBytes + EventRing::kEndedOverheadBytes + ended->key().size() +
         ended->value->held_bytes();
}

}  // namespace

EventRing::EventRing(const Options& options, Revision newest)
    : events_max_(options.events_max),
      bytes_max_(options.event_bytes_max),
      newest_(newest),
      floor_(newest) {}

void EventRing::Append(std::span<const Frozen<Event>> events) {
  DRAY_CHECK(!events.empty());
  DRAY_CHECK(events.front()->revision() > newest_);
  try {
    for (const Frozen<Event>& event : events) Add(event);
  } catch (...) {
    TakeBackAfter(newest_);
    throw;
  }
  newest_ = events.front()->revision();
  for (const Frozen<Event>& event : events) bytes_ += BytesOf(*event);
  while ((all_.size() > events_max_ || bytes_ > bytes_max_) && all_.front().revision < newest_) {
    DropOldestRevision();
  }
}

void EventRing::Add(const Frozen<Event>& event) {
  all_.push_back({.revision = event->revision(), .event = event});
  const std::string_view group = GroupOf(event->record->key());
  if (group.empty()) return;
  auto queue = groups_.find(group);
  if (queue == groups_.end()) queue = groups_.emplace(std::string(group), Queue()).first;
  queue->second.push_back({.revision = event->revision(), .event = event});
}

/// The last event may be missing in its group.
void EventRing::TakeBackAfter(Revision revision) {
  for (; !all_.empty() && all_.back().revision > revision; all_.pop_back()) {
    const auto queue = groups_.find(GroupOf(all_.back().event->record->key()));
    if (queue == groups_.end()) continue;
    Queue& entries = queue->second;
    while (!entries.empty() && entries.back().revision > revision) entries.pop_back();
    if (entries.empty()) groups_.erase(queue);
  }
}

void EventRing::Advance(Revision revision) {
  newest_ = std::max(newest_, revision);
}

void EventRing::Restart(Revision newest) {
  all_.clear();
  groups_.clear();
  bytes_ = 0;
  newest_ = newest;
  floor_ = newest;
}

Result<Batch> EventRing::After(Revision after, std::string_view prefix, size_t max) const {
  if (after < floor_) {
    return Fail(StatusReason::kExpired,
                fmt::format("events after revision {} are gone, the oldest to follow from is {}",
                            after.value(),
                            floor_.value()));
  }
  Batch batch{.events = {}, .through = std::max(after, newest_)};
  const Queue* queue = Narrowest(prefix);
  if (queue == nullptr || queue->back().revision <= after) return batch;
  auto at = std::ranges::upper_bound(*queue, after, {}, &Entry::revision);
  size_t examined = 0;
  while (at != queue->end() && batch.events.size() < std::max<size_t>(max, 1) &&
         examined < kEventsExaminedMax) {
    const size_t found_before = batch.events.size();
    const Revision revision = at->revision;
    for (; at != queue->end() && at->revision == revision; ++at, ++examined) {
      if (at->event->record->key().starts_with(prefix)) batch.events.push_back(at->event);
    }
    if (found_before > 0 && batch.events.size() > max) {
      batch.events.resize(found_before);
      return batch;
    }
    batch.through = at == queue->end() ? newest_ : revision;
  }
  return batch;
}

std::vector<Frozen<Event>> EventRing::Between(Revision first, Revision last) const {
  DRAY_CHECK(first >= floor_);
  std::vector<Frozen<Event>> events;
  auto at = std::ranges::upper_bound(all_, first, {}, &Entry::revision);
  for (; at != all_.end() && at->revision <= last; ++at) events.push_back(at->event);
  return events;
}

void EventRing::DropThrough(Revision revision) {
  while (!all_.empty() && all_.front().revision <= revision) DropOldestRevision();
  floor_ = std::max(floor_, revision);
}

const EventRing::Queue* EventRing::Narrowest(std::string_view prefix) const {
  const std::string_view group = GroupOf(prefix);
  if (group.empty()) return all_.empty() ? nullptr : &all_;
  const auto queue = groups_.find(group);
  return queue == groups_.end() ? nullptr : &queue->second;
}

void EventRing::DropOldestRevision() {
  floor_ = all_.front().revision;
  while (!all_.empty() && all_.front().revision == floor_) {
    const Event& event = *all_.front().event;
    bytes_ -= BytesOf(event);
    if (const auto queue = groups_.find(GroupOf(event.record->key())); queue != groups_.end()) {
      queue->second.pop_front();
      if (queue->second.empty()) groups_.erase(queue);
    }
    all_.pop_front();
  }
}

}  // namespace dray::store
