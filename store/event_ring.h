// SPDX-License-Identifier: Apache-2.0
// Recent events, oldest first, found by revision and prefix.
//
// Each event stands in the queue of all events and in that of its group: its key through the third
// slash, "/registry/<resource>/". A cursor on a prefix that names a group reads that group's queue
// and never sees the others; a shorter prefix reads the queue of all. Keys with fewer slashes have
// no group, and need none: no prefix with three slashes can match them. Every queue is ordered by
// revision, so a place is found by halving. A group without events is dropped, so there are never
// more groups than events.
//
// Followers are cursors. They own no queue, so a slow follower costs the others nothing. If the
// ring has dropped events that a follower has not read, After returns kExpired.
//
// Thread safety: none; store/history.h guards it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::store {

class EventRing {
 public:
  /// What an event counts, roughly: itself and its queue slots.
  static constexpr size_t kEventOverheadBytes = 128;
  /// What it counts besides the key and the value of a record that it ended: the record, its
  /// value's frame, and pages of older trees.
  static constexpr size_t kEndedOverheadBytes = 192;

  /// A ring at revision `newest`, with no events.
  EventRing(const Options& options, Revision newest);

  /// Appends the events of one revision, which is later than newest(). Then drops whole revisions,
  /// oldest first, until both limits hold or only this revision is left. Revisions that are skipped
  /// have no events. On std::bad_alloc the ring is unchanged. O(events).
  void Append(std::span<const Frozen<Event>> events);

  /// Raises newest() to at least `revision`. There are no events after the ones here up to it.
  void Advance(Revision revision);

  /// Drops all events and continues at revision `newest`, as a new ring would.
  void Restart(Revision newest);

  /// See Store::EventsAfter.
  Result<Batch> After(Revision after, std::string_view prefix, size_t max) const;

  /// The events with a revision in (first, last], in order. Precondition: first >= floor().
  std::vector<Frozen<Event>> Between(Revision first, Revision last) const;

  /// Drops the events up to `revision`; floor() is then at least `revision`. It may be one ahead of
  /// newest(); the events appended next are then dropped as soon as they arrive.
  void DropThrough(Revision revision);

  Revision newest() const { return newest_; }
  /// The ring has all events after this revision.
  Revision floor() const { return floor_; }
  size_t size() const { return all_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Revision revision;
    Frozen<Event> event;
  };
  using Queue = std::deque<Entry>;

  /// The shortest queue with all events of `prefix`; null if it would be empty.
  const Queue* Narrowest(std::string_view prefix) const;
  void Add(const Frozen<Event>& event);
  void TakeBackAfter(Revision revision);
  void DropOldestRevision();

  const size_t events_max_;
  const size_t bytes_max_;
  Revision newest_;
  Revision floor_;
  size_t bytes_ = 0;
  Queue all_;
  std::map<std::string, Queue, std::less<>> groups_;
};

}  // namespace dray::store
