// SPDX-License-Identifier: Apache-2.0
// A running watch, and what it shows its client.
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
#include "base/published.h"
#include "server/storage/item.h"

namespace dray::server::verbs {

enum class WatchEventType : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

/// "ADDED", …
std::string_view WatchEventName(WatchEventType type);

/// The longest a stream stays open, whatever the client asks for: a year.
inline constexpr int64_t kWatchSecondsMax = int64_t{365} * 24 * 60 * 60;

/// One event of a watch. kBookmark carries an object with only metadata.resourceVersion (and, at
/// the end of initial events, the annotation); kError carries a Status and ends the watch.
struct WatchEvent {
  WatchEventType type;
  storage::Item item;                             // not for kError
  Frozen<api::meta_v1::Status> status = nullptr;  // kError only
};

/// Who is told of commits. One may stand for many watches.
class Wakeable {
 public:
  Wakeable() = default;
  Wakeable(const Wakeable&) = delete;
  Wakeable& operator=(const Wakeable&) = delete;
  virtual ~Wakeable() = default;
  /// From the committing thread: must be quick, and only schedule what is to be done.
  virtual void Wake() = 0;
};

/// One that calls `wake`.
std::shared_ptr<Wakeable> WakeableOf(std::function<void()> wake);

/// A running watch: a cursor over the store's events. Costs nothing between calls.
class WatchCursor {
 public:
  virtual ~WatchCursor() = default;

  /// The events that are there now, at most `max` (and at least the events of one revision). Looks
  /// at a bounded piece of the state or of history, so it may find none though there are:
  /// has_more() then. After kError there are no more.
  virtual std::vector<WatchEvent> Next(size_t max) = 0;

  /// Whether the last Next() stopped before it had looked at everything. When it did not, the
  /// watcher has seen everything.
  virtual bool has_more() const = 0;

  /// Whether the stream ends once all is sent that Next() has returned: the kind that it shows has
  /// changed or gone.
  virtual bool is_over() const { return false; }

  /// A bookmark for where the cursor stands, if the client allows bookmarks.
  virtual std::optional<WatchEvent> Bookmark() = 0;

  /// What part of the store it follows: watches of the same scope are concerned by the same
  /// commits.
  virtual std::string_view scope() const = 0;

  /// `watcher` is woken after commits that may concern the watch, to schedule a later Next(); once
  /// for all watches of one scope that have the same watcher. At most one; it is held as long as
  /// the cursor. Call Next() afterwards until there is no more: what was committed before is not
  /// announced.
  virtual void WakeOnChange(std::shared_ptr<Wakeable> watcher) = 0;
  /// The same for a watch that has a watcher of its own.
  void OnChange(std::function<void()> wake) { WakeOnChange(WakeableOf(std::move(wake))); }

  /// How long the stream may stay open, 0 to kWatchSecondsMax: timeoutSeconds, or the server's
  /// random default when that is absent or 0.
  virtual int64_t timeout_seconds() const = 0;
};

}  // namespace dray::server::verbs
