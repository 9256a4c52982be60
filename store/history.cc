// SPDX-License-Identifier: Apache-2.0
#include "store/history.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store {
namespace {

Failure FutureRevision(Revision asked, Revision newest) {
  return Fail(
      StatusReason::kTimeout,
      fmt::format("revision {} is in the future, the newest is {}", asked.value(), newest.value()));
}

Frozen<Snapshot> Undo(const Snapshot& from,
                      const std::vector<Frozen<Event>>& events,
                      Revision revision) {
  Tree tree = from.tree();
  for (const Frozen<Event>& event : events | std::views::reverse) {
    tree =
        event->previous != nullptr ? tree.Put(event->previous) : tree.Erase(event->record->key());
  }
  return std::make_shared<const Snapshot>(revision, std::move(tree));
}

}  // namespace

History::History(const Options& options, Frozen<Snapshot> first)
    : newest_(first), ring_(options, first->revision()), latest_(std::move(first)) {}

History::History(const Options& options,
                 Frozen<Snapshot> newest,
                 Revision floor,
                 std::span<const Frozen<Event>> events)
    : newest_(newest), ring_(options, floor), latest_(std::move(newest)) {
  const MutexLock lock(mutex_);
  for (size_t first = 0; first < events.size();) {
    size_t end = first + 1;
    while (end < events.size() && events[end]->revision() == events[first]->revision()) ++end;
    ring_.Append(events.subspan(first, end - first));
    first = end;
  }
  AddAnchors(events);
  DropBelowFloor();
}

void History::AddAnchors(std::span<const Frozen<Event>> events) {
  Frozen<Snapshot> anchor = latest_;
  while (events.size() > kAnchorSpacing) {
    size_t kept = events.size() - kAnchorSpacing;
    while (kept > 0 && events[kept - 1]->revision() == events[kept]->revision()) --kept;
    if (kept == 0) return;
    const std::span<const Frozen<Event>> undone = events.subspan(kept);
    anchor = Undo(*anchor, {undone.begin(), undone.end()}, events[kept - 1]->revision());
    anchors_.emplace(anchor->revision(), anchor);
    events = events.first(kept);
  }
}

void History::Publish(const Change& change) {
  const MutexLock lock(mutex_);
  // Allocations come first. Readers see the events when the lock is released.
  std::map<Revision, Frozen<Snapshot>> anchor;
  const bool is_anchor = events_since_anchor_ + change.events.size() >= kAnchorSpacing;
  if (is_anchor) anchor.emplace(change.next->revision(), change.next);
  ring_.Append(change.events);
  newest_.Store(change.next);
  latest_ = change.next;
  events_since_anchor_ = is_anchor ? 0 : events_since_anchor_ + change.events.size();
  anchors_.merge(anchor);
  DropBelowFloor();
}

void History::Advance(Revision revision) {
  const Frozen<Snapshot> newest = newest_.Load();
  if (revision <= newest->revision()) return;
  auto advanced = std::make_shared<const Snapshot>(revision, newest->tree());
  newest_.Store(advanced);
  const MutexLock lock(mutex_);
  ring_.Advance(revision);
  latest_ = std::move(advanced);
}

void History::Restart(Frozen<Snapshot> next) {
  // Both under one lock for readers that use both, because old events must not lead to the new
  // snapshot.
  const MutexLock lock(mutex_);
  DRAY_CHECK(next->revision() >= newest_.Load()->revision());
  newest_.Store(next);
  ring_.Restart(next->revision());
  latest_ = std::move(next);
  events_since_anchor_ = 0;
  anchors_.clear();
  rebuilt_.clear();
}

Result<Frozen<Snapshot>> History::ReadAt(Revision revision) const {
  Frozen<Snapshot> newest = newest_.Load();
  if (revision == newest->revision()) return newest;
  if (revision > newest->revision()) return FutureRevision(revision, newest->revision());
  DRAY_TRY(const Plan plan, PlanFor(revision));
  if (plan.undo.empty() && plan.from->revision() == revision) return plan.from;
  Frozen<Snapshot> rebuilt = Undo(*plan.from, plan.undo, revision);
  Remember(rebuilt);
  return rebuilt;
}

Result<History::Plan> History::PlanFor(Revision revision) const {
  const MutexLock lock(mutex_);
  if (revision < ring_.floor()) {
    return Fail(StatusReason::kExpired,
                fmt::format("revision {} has been compacted, the oldest kept is {}",
                            revision.value(),
                            ring_.floor().value()));
  }
  for (const Frozen<Snapshot>& known : rebuilt_) {
    if (known->revision() == revision) return Plan{.from = known, .undo = {}};
  }
  const auto anchor = anchors_.lower_bound(revision);
  Frozen<Snapshot> from = anchor == anchors_.end() ? latest_ : anchor->second;
  std::vector<Frozen<Event>> undo = ring_.Between(revision, from->revision());
  return Plan{.from = std::move(from), .undo = std::move(undo)};
}

void History::Remember(const Frozen<Snapshot>& rebuilt) const {
  const MutexLock lock(mutex_);
  if (rebuilt->revision() < ring_.floor()) return;
  rebuilt_.push_back(rebuilt);
  if (rebuilt_.size() > kRebuiltMax) rebuilt_.pop_front();
}

void History::DropBelowFloor() {
  const Revision floor = ring_.floor();
  anchors_.erase(anchors_.begin(), anchors_.lower_bound(floor));
  std::erase_if(rebuilt_, [&](const Frozen<Snapshot>& old) { return old->revision() < floor; });
}

Result<Batch> History::EventsAfter(Revision after, std::string_view prefix, size_t max) const {
  const MutexLock lock(mutex_);
  return ring_.After(after, prefix, max);
}

Result<> History::Compact(Revision revision) {
  const Frozen<Snapshot> newest = newest_.Load();
  if (revision > newest->revision()) return FutureRevision(revision, newest->revision());
  const MutexLock lock(mutex_);
  ring_.DropThrough(revision);
  DropBelowFloor();
  return {};
}

Revision History::newest_event() const {
  const MutexLock lock(mutex_);
  return ring_.newest();
}

void History::AddTo(Status& status) const {
  const Frozen<Snapshot> newest = newest_.Load();
  status.newest = newest->revision();
  status.keys = newest->size();
  const MutexLock lock(mutex_);
  status.floor = ring_.floor();
  status.events = ring_.size();
  status.event_bytes = ring_.bytes();
}

}  // namespace dray::store
