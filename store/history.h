// SPDX-License-Identifier: Apache-2.0
// The readers' half of a store: the newest snapshot and the window of history behind it.
//
// The window is one ring of events. Older states are not kept one by one: every kAnchorSpacing
// events a snapshot is (an anchor), and any revision of the window is rebuilt from the next anchor
// by undoing the events in between, which carry what each key held before. So one floor serves
// reads and watches, each revision of the window can be read, and a paged list goes on for as long
// as a watch could. An anchor costs the pages that have changed since the one before it.
//
// Revisions may have gaps: a cluster shared with others has revisions that changed nothing here. A
// revision in a gap reads as the one before it.
//
// Thread safety: Publish by one thread at a time; everything else from any thread. newest() takes
// only the lock of a pointer, so no reader waits for a long answer to another one.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/event_ring.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store {

class History {
 public:
  /// Events between two anchors, at least; at most a transaction more.
  static constexpr size_t kAnchorSpacing = 256;
  /// Rebuilt snapshots remembered, the most recent ones.
  static constexpr size_t kRebuiltMax = 64;

  /// A window that begins, and so far ends, at `first`.
  History(const Options& options, Frozen<Snapshot> first);

  /// The window that a disk kept: `events` are all between `floor` and `newest`, oldest first. Its
  /// floor is higher if the limits of `options` allow less. O(events * log n).
  History(const Options& options,
          Frozen<Snapshot> newest,
          Revision floor,
          std::span<const Frozen<Event>> events);

  /// Makes `change`, which has events, visible: first the snapshot, then the events, so whoever has
  /// seen an event finds it in newest(). Changes come in the order of their revisions. Memory that
  /// cannot be had (std::bad_alloc) leaves everything as it was.
  void Publish(const Change& change);

  /// Says that nothing has changed up to `revision`: the newest snapshot is of that revision from
  /// now on. Lower than the newest: no effect.
  void Advance(Revision revision);

  /// Goes on from `next`, which is not older than newest(), without the events that led there: what
  /// came before it is below the floor from now on.
  void Restart(Frozen<Snapshot> next);

  Frozen<Snapshot> newest() const { return newest_.Load(); }

  /// As the functions of Store.
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const;
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const;
  Result<> Compact(Revision revision);

  /// The newest revision whose events can be had.
  Revision newest_event() const;
  /// Fills in newest, floor, keys, events and event_bytes.
  void AddTo(Status& status) const;

 private:
  /// A kept snapshot, and what to undo to come from it to the one wanted.
  struct Plan {
    Frozen<Snapshot> from;
    std::vector<Frozen<Event>> undo;  // oldest first
  };

  Result<Plan> PlanFor(Revision revision) const;
  void AddAnchors(std::span<const Frozen<Event>> events) DRAY_REQUIRES(mutex_);
  void Remember(const Frozen<Snapshot>& rebuilt) const;
  void DropBelowFloor() DRAY_REQUIRES(mutex_);

  Published<Snapshot> newest_;
  mutable Mutex mutex_;
  EventRing ring_ DRAY_GUARDED_BY(mutex_);
  Frozen<Snapshot> latest_ DRAY_GUARDED_BY(mutex_);  // at ring_.newest(): newest_, or one before
  std::map<Revision, Frozen<Snapshot>> anchors_ DRAY_GUARDED_BY(mutex_);
  size_t events_since_anchor_ DRAY_GUARDED_BY(mutex_) = 0;
  mutable std::deque<Frozen<Snapshot>> rebuilt_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store
