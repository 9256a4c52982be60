// SPDX-License-Identifier: Apache-2.0
// A running watch and its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/meta_v1/status.h"
#include "base/frozen.h"
#include "server/storage/item.h"

namespace dray::server::verbs::inline watches {

enum class WatchEventType : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

/// "ADDED", …
std::string_view WatchEventName(WatchEventType type);

/// The longest time a stream stays open: a year. A longer timeoutSeconds is cut to it.
inline constexpr int64_t kWatchSecondsMax = int64_t{365} * 24 * 60 * 60;

/// One event of a watch. kBookmark carries an object with only metadata.resourceVersion (and, at
/// the end of initial events, the annotation); kError carries a Status and ends the watch.
struct WatchEvent {
  WatchEventType type;
  storage::Item item;                             // not for kError
  Frozen<api::meta_v1::Status> status = nullptr;  // kError only
};

/// Receives notifications of commits. One object may serve many watches.
class Wakeable {
 public:
  Wakeable() = default;
  Wakeable(const Wakeable&) = delete;
  Wakeable& operator=(const Wakeable&) = delete;
  virtual ~Wakeable() = default;
  /// Called on the committing thread: must be quick, and only schedule the work.
  virtual void Wake() = 0;
};

/// Wakes `watcher`; false if that ran out of memory.
[[nodiscard]] bool TryWake(Wakeable& watcher);

/// A Wakeable that calls `wake`.
std::shared_ptr<Wakeable> WakeableOf(std::function<void()> wake);

/// A running watch: a cursor over the store's events. Costs nothing between calls.
class WatchCursor {
 public:
  virtual ~WatchCursor() = default;

  /// The pending events, at most `max` (and at least the events of one revision). Reads a bounded
  /// piece of the state or of history, so the result may be empty although events are pending;
  /// has_more() is true then. No events follow kError.
  virtual std::vector<WatchEvent> Next(size_t max) = 0;

  /// Whether the last Next() stopped before it had read everything. False: the watcher has seen
  /// every event.
  virtual bool has_more() const = 0;

  /// Whether the stream ends after the events that Next() has returned, because its kind has
  /// changed or is gone.
  virtual bool is_over() const { return false; }

  /// A bookmark for the cursor's revision, if the client allows bookmarks.
  virtual std::optional<WatchEvent> Bookmark() = 0;

  /// The part of the store that the watch follows. The same commits concern all watches of one
  /// scope.
  virtual std::string_view scope() const = 0;

  /// Wakes `watcher` after commits that may concern the watch, so that it schedules a later Next().
  /// Watches of one scope with the same watcher share one wake. A watch has at most one watcher,
  /// which lives at least as long as the cursor. Commits before this call cause no wake: after it,
  /// call Next() until has_more() is false.
  virtual void WakeOnChange(std::shared_ptr<Wakeable> watcher) = 0;
  /// The same for a watch that has a watcher of its own.
  void OnChange(std::function<void()> wake) { WakeOnChange(WakeableOf(std::move(wake))); }

  /// Seconds that the stream may stay open, 0 to kWatchSecondsMax: the client's timeoutSeconds, or
  /// the server's random default when that is absent or 0.
  virtual int64_t timeout_seconds() const = 0;
};

}  // namespace dray::server::verbs::inline watches
