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
// Followers are cursors: they own no queue, and a slow one costs nobody anything. When the events
// it has not seen are gone, it is told so.
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

#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::store {

class EventRing {
 public:
  /// What an event counts besides keys and values: records, nodes and queue slots, roughly.
  static constexpr size_t kEventOverheadBytes = 320;

  /// A ring at `newest`, with nothing before it.
  EventRing(const Options& options, Revision newest);

  /// Appends the events of one revision, which is later than newest(), and drops whole revisions at
  /// the other end until both limits hold or only this one is left. Revisions in between that are
  /// left out have no events. Memory that cannot be had (std::bad_alloc) leaves the ring as it was.
  /// O(events).
  void Append(std::span<const Frozen<Event>> events);

  /// Makes newest() at least `revision`: there are no events up to it but those that are here.
  void Advance(Revision revision);

  /// Drops everything and goes on from `newest`, as a new ring would.
  void Restart(Revision newest);

  /// As Store::EventsAfter.
  Result<Batch> After(Revision after, std::string_view prefix, size_t max) const;

  /// The events with a revision in (first, last], in order. Precondition: first >= floor().
  std::vector<Frozen<Event>> Between(Revision first, Revision last) const;

  /// Drops the events up to `revision`; floor() is then at least that. It may be one ahead of
  /// newest(): the events that come next are then history as soon as they arrive.
  void DropThrough(Revision revision);

  Revision newest() const { return newest_; }
  /// Everything after this revision is here.
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
