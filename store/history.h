// SPDX-License-Identifier: Apache-2.0
// The readers' half of a store: the newest snapshot and the window of history behind it.
//
// The window is one ring of events. Older states are not kept one by one: every kAnchorSpacing
// events one snapshot is kept (an anchor). Any other revision of the window is rebuilt from the
// next anchor by undoing the events in between, which have the previous record of each key. So one
// floor serves reads and watches, each revision of the window can be read, and a paged list
// continues for as long as a watch could. An anchor costs the pages that have changed since the one
// before it.
//
// Revisions may have gaps, because a cluster shared with other users has revisions that changed
// nothing here. A revision in a gap reads as the one before it.
//
// Thread safety: Publish by one thread at a time; everything else from any thread. newest() locks
// only a pointer, so no reader waits for another reader's long answer.
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
  /// Least number of events between two anchors; it is exceeded by at most one transaction.
  static constexpr size_t kAnchorSpacing = 256;
  /// Limit of rebuilt snapshots remembered; the most recently used ones are kept.
  static constexpr size_t kRebuiltMax = 64;

  /// A window that begins and ends at the revision of `first`.
  History(const Options& options, Frozen<Snapshot> first);

  /// The window that was read from a disk. `events` are all events between `floor` and `newest`,
  /// oldest first. The floor becomes higher if the limits of `options` allow fewer. O(events * log
  /// n).
  History(const Options& options,
          Frozen<Snapshot> newest,
          Revision floor,
          std::span<const Frozen<Event>> events);

  /// Makes `change`, which has events, visible: first the snapshot, then the events, so a reader
  /// that has seen an event finds it in newest(). Call in the order of revisions. On std::bad_alloc
  /// nothing has changed.
  void Publish(const Change& change);

  /// Reports that nothing changed up to `revision`. The newest snapshot then has that revision. No
  /// effect if `revision` is lower than the newest.
  void Advance(Revision revision);

  /// Continues at `next`, which is not older than newest(), without the events that led there. All
  /// earlier revisions are below the floor from now on.
  void Restart(Frozen<Snapshot> next);

  Frozen<Snapshot> newest() const { return newest_.Load(); }

  /// These implement the functions of Store.
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const;
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const;
  Result<> Compact(Revision revision);

  /// The newest revision whose events can be read.
  Revision newest_event() const;
  /// Fills in newest, floor, keys, events and event_bytes.
  void AddTo(Status& status) const;

 private:
  /// A kept snapshot, and the events to undo to get from it to the snapshot wanted.
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
  Frozen<Snapshot> latest_ DRAY_GUARDED_BY(mutex_);  // at revision ring_.newest(): newest_ or the
                                                     // snapshot before it
  std::map<Revision, Frozen<Snapshot>> anchors_ DRAY_GUARDED_BY(mutex_);
  size_t events_since_anchor_ DRAY_GUARDED_BY(mutex_) = 0;
  mutable std::deque<Frozen<Snapshot>> rebuilt_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store
