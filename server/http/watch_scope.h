// SPDX-License-Identifier: Apache-2.0
// The watches of one reactor that follow the same part of the store. A commit wakes all of them
// with one function on the reactor; they are then served in turns between other work of the
// reactor, and share the encoded bytes of an event.
//
// A commit costs ten thousand watches of one collection a single wake-up. A request that arrives
// meanwhile waits for one turn of kWatchesPerTurn watches, not for all. A commit during the walk is
// seen by the watches that the walk has not reached; another walk follows for the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "net/http.h"
#include "net/reactor.h"
#include "server/documents/render.h"
#include "server/storage/item.h"
#include "server/verbs/watches/watch_cursor.h"

namespace dray::server::http {

/// Watches that are served in one turn, before other work of the reactor.
inline constexpr size_t kWatchesPerTurn = 64;
/// The most encoded events, and the most bytes of them, that are kept for the other watches of a
/// walk. One more empties the cache; an event that alone is larger is not kept.
inline constexpr size_t kSharedFramesMax = 256;
inline constexpr size_t kSharedFrameBytesMax = size_t{4} << 20;

/// One watch in a scope.
class ScopeMember {
 public:
  ScopeMember() = default;
  ScopeMember(const ScopeMember&) = delete;
  ScopeMember& operator=(const ScopeMember&) = delete;
  virtual ~ScopeMember() = default;
  /// Sends pending events, up to one turn, and schedules the next turn itself. May end the watch,
  /// but does not destroy it.
  virtual void Pump() = 0;

 private:
  friend class WatchScope;
  size_t place_ = 0;  // in members_ of its scope
};

/// Used on its reactor's thread; only Wake() is called from any thread.
class WatchScope final : public verbs::Wakeable, public std::enable_shared_from_this<WatchScope> {
 public:
  explicit WatchScope(net::Reactor& reactor) : reactor_(reactor) {}

  void Wake() override;

  /// A member must be removed before it is destroyed.
  void Add(ScopeMember& member);
  void Remove(const ScopeMember& member);

  /// As documents::WatchFrame; watches of a walk with the same event and form share the bytes.
  net::Bytes FrameOf(const verbs::WatchEvent& event,
                     const documents::Rendering& rendering,
                     documents::ColumnDefinitions definitions);

 private:
  using FrameKey = std::tuple<const storage::LazyForms*,
                              verbs::WatchEventType,
                              documents::Encoding,
                              documents::Transform>;
  struct Frame {
    Frozen<storage::LazyForms> forms;  // keeps the address in the key from being reused
    net::Bytes bytes;
  };

  void OnWoken();
  void Walk();
  /// Posts the next turn of the walk; false if that ran out of memory.
  bool WalkOnLater();
  void Place(ScopeMember& member, size_t place);

  net::Reactor& reactor_;
  std::atomic<bool> woken_ = false;  // OnWoken is posted
  std::vector<ScopeMember*> members_;
  bool walking_ = false;  // Walk is posted or running
  bool again_ = false;    // a commit came during the walk
  size_t next_ = 0;       // the next member of the walk
  std::map<FrameKey, Frame> frames_;
  size_t frame_bytes_ = 0;
};

/// The scopes that have watches. Safe from any thread; shared by all reactors.
class WatchScopes {
 public:
  /// The scope `name` on `reactor`, which outlives it.
  std::shared_ptr<WatchScope> Of(net::Reactor& reactor, std::string_view name);
  /// The number of entries: at most twice the most scopes that had watches at one time, or 64.
  size_t size() const;

 private:
  using Key = std::pair<const net::Reactor*, std::string>;
  void Sweep() DRAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<Key, std::weak_ptr<WatchScope>> scopes_ DRAY_GUARDED_BY(mutex_);
  size_t swept_size_ DRAY_GUARDED_BY(mutex_) = 0;  // of scopes_, after the last sweep
};

}  // namespace dray::server::http
