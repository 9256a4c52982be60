// SPDX-License-Identifier: Apache-2.0
// The kinds of a running server: those it was started with, and the custom kinds that are served at
// the moment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "api/kind.h"
#include "base/mutex.h"
#include "base/published.h"

namespace dray::api {

/// Safe from any thread; one thread at a time publishes. Kinds that were ever published stay where
/// they are, so pointers to them stay good.
class LiveScheme {
 public:
  /// Ends with its destruction: no call comes afterwards.
  class Listening {
   public:
    Listening() = default;
    Listening(const LiveScheme* scheme, uint64_t id) : scheme_(scheme), id_(id) {}
    Listening(Listening&& other) noexcept
        : scheme_(std::exchange(other.scheme_, nullptr)), id_(other.id_) {}
    Listening& operator=(Listening&& other) noexcept {
      std::swap(scheme_, other.scheme_);
      std::swap(id_, other.id_);
      return *this;
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    ~Listening() {
      if (scheme_ == nullptr) return;
      const MutexLock lock(scheme_->mutex_);
      scheme_->listeners_.erase(id_);
    }

   private:
    const LiveScheme* scheme_ = nullptr;
    uint64_t id_ = 0;
  };

  /// Those that the program was built with.
  LiveScheme() : LiveScheme(Scheme()) {}
  explicit LiveScheme(const Scheme& first)
      : first_(first), now_(std::make_shared<const Scheme>(first)) {}
  LiveScheme(const LiveScheme&) = delete;
  LiveScheme& operator=(const LiveScheme&) = delete;
  ~LiveScheme() = default;

  /// All kinds there are now; never changes.
  Frozen<Scheme> Now() const { return now_.Load(); }
  /// Those without custom kinds.
  const Scheme& first() const { return first_; }

  /// Calls the listeners, on this thread.
  void Publish(Frozen<Scheme> next) {
    now_.Store(std::move(next));
    const MutexLock lock(mutex_);
    for (const auto& [id, changed] : listeners_) changed();
  }
  /// Calls `changed` after each change; it must be quick, and not come back here.
  Listening Listen(std::function<void()> changed) const {
    const MutexLock lock(mutex_);
    listeners_.emplace(++last_id_, std::move(changed));
    return {this, last_id_};
  }

 private:
  const Scheme first_;
  Published<Scheme> now_;
  mutable Mutex mutex_;
  mutable std::map<uint64_t, std::function<void()>> listeners_ DRAY_GUARDED_BY(mutex_);
  mutable uint64_t last_id_ DRAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace dray::api
