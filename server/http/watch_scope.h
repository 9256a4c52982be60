// SPDX-License-Identifier: Apache-2.0
// The watches of one reactor that follow the same part of the store. A commit wakes all of them at
// once; they then take turns with what else the reactor does, and share the bytes of an event.
//
// Ten thousand watches of one collection cost a commit one wake-up, and a request that comes in
// meanwhile waits for a hundred of them, not for all. What is committed while they are walked is
// seen by those that are still to come; for the others there is another walk.
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

#include "base/mutex.h"
#include "base/published.h"
#include "net/http.h"
#include "net/reactor.h"
#include "server/documents/render.h"
#include "server/storage/item.h"
#include "server/verbs/watch_cursor.h"

namespace dray::server::http {

/// Watches that are served before other work of the reactor gets its turn.
inline constexpr size_t kWatchesPerTurn = 64;
/// Encoded events that are kept for the other watches of a walk, and their bytes. With one more all
/// are forgotten; one that is larger alone is not kept.
inline constexpr size_t kSharedFramesMax = 256;
inline constexpr size_t kSharedFrameBytesMax = size_t{4} << 20;

/// One watch, as its scope knows it.
class ScopeMember {
 public:
  ScopeMember() = default;
  ScopeMember(const ScopeMember&) = delete;
  ScopeMember& operator=(const ScopeMember&) = delete;
  virtual ~ScopeMember() = default;
  /// Sends what there is, as far as a turn goes: the rest follows by itself. May end the watch, but
  /// does not destroy it.
  virtual void Pump() = 0;

 private:
  friend class WatchScope;
  size_t place_ = 0;  // in its scope
};

/// Lives on its reactor's thread; Wake comes from any.
class WatchScope final : public verbs::Wakeable, public std::enable_shared_from_this<WatchScope> {
 public:
  explicit WatchScope(net::Reactor& reactor) : reactor_(reactor) {}

  void Wake() override;

  /// A member is removed before it ends.
  void Add(ScopeMember& member);
  void Remove(const ScopeMember& member);

  /// As documents::WatchFrame; the same bytes for every watch of a walk that is shown the same.
  net::Bytes FrameOf(const verbs::WatchEvent& event,
                     const documents::Rendering& rendering,
                     documents::ColumnDefinitions definitions);

 private:
  using FrameKey = std::tuple<const storage::LazyForms*,
                              verbs::WatchEventType,
                              documents::Encoding,
                              documents::Transform>;
  struct Frame {
    Frozen<storage::LazyForms> forms;  // keeps its address from being used again
    net::Bytes bytes;
  };

  void OnWoken();
  void Walk();
  /// False without memory.
  bool WalkOnLater();
  void Place(ScopeMember& member, size_t place);

  net::Reactor& reactor_;
  std::atomic<bool> woken_ = false;  // OnWoken is posted
  std::vector<ScopeMember*> members_;
  bool walking_ = false;  // Walk is posted, or under way
  bool again_ = false;    // there was a commit meanwhile
  size_t next_ = 0;       // of the walk
  std::map<FrameKey, Frame> frames_;
  size_t frame_bytes_ = 0;
};

/// The scopes that have watches. Safe from any thread; shared by all reactors.
class WatchScopes {
 public:
  /// That of `name` on `reactor`, which outlives it.
  std::shared_ptr<WatchScope> Of(net::Reactor& reactor, std::string_view name);
  /// How many are remembered: at most twice as many as have had watches at one time, or 64.
  size_t size() const;

 private:
  using Key = std::pair<const net::Reactor*, std::string>;
  void Sweep() DRAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<Key, std::weak_ptr<WatchScope>> scopes_ DRAY_GUARDED_BY(mutex_);
  size_t swept_size_ DRAY_GUARDED_BY(mutex_) = 0;  // of scopes_, after the last sweep
};

}  // namespace dray::server::http
