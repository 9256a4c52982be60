// SPDX-License-Identifier: Apache-2.0
// Watches of kinds that a webhook converts. A cursor never waits: it stops before an object that
// has to be converted first, has the webhook asked, and is woken when there is an answer.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/custom_kind.h"
#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/share_budget.h"
#include "base/task.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/request.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/watches/watch_cursor.h"
#include "store/record.h"

namespace dray::server::verbs::inline conversion {

/// What one watch waits for. Safe from any thread.
class ConversionWait {
 public:
  /// The watcher is woken after each wait. Null: none. No wake of the one before runs afterwards.
  void SetWatcher(std::shared_ptr<Wakeable> watcher);
  bool is_waiting() const;
  /// Why something could not be converted, once.
  std::optional<Error> TakeFailure();

  void Begin(size_t conversions);
  /// One of them is done.
  void End(const Result<>& converted);

 private:
  mutable Mutex mutex_;
  size_t left_ DRAY_GUARDED_BY(mutex_) = 0;
  std::optional<Error> failure_ DRAY_GUARDED_BY(mutex_);
  std::shared_ptr<Wakeable> watcher_ DRAY_GUARDED_BY(mutex_);
};

/// All conversions that watches wait for. Each is asked for once, however many watches show the
/// object. Safe from any thread.
class WatchConversions {
 public:
  WatchConversions() = default;
  WatchConversions(const WatchConversions&) = delete;
  WatchConversions& operator=(const WatchConversions&) = delete;
  ~WatchConversions() = default;

  /// Has `needed` converted to `to`; `wait` ends when all of it is. `owner` pays for
  /// what no other watch has asked for. `core` outlives the conversions.
  void Start(const Core& core,
             const api::CustomKind& to,
             std::vector<storage::Unconverted> needed,
             const std::shared_ptr<ConversionWait>& wait,
             const Frozen<ShareOwner>& owner);

  /// Returns when nothing is under way. The calls have been ended before (Resources::EndCalls).
  void WaitUntilIdle();

 private:
  using Key = std::pair<const storage::StoredObject*, std::string>;  // and the version
  using Waits = std::vector<std::shared_ptr<ConversionWait>>;

  void Ended(std::span<const Key> keys, const Result<>& converted);

  Mutex mutex_;
  Condition idle_;
  std::map<Key, Waits> under_way_ DRAY_GUARDED_BY(mutex_);
  size_t calls_ DRAY_GUARDED_BY(mutex_) = 0;
};

/// The conversions of one watch. Belongs to its cursor; the core outlives it.
class WatchedConversions {
 public:
  WatchedConversions(const Core& core, storage::View view, Frozen<ShareOwner> owner)
      : core_(core), view_(view), owner_(std::move(owner)) {}
  WatchedConversions(const WatchedConversions&) = delete;
  WatchedConversions& operator=(const WatchedConversions&) = delete;
  ~WatchedConversions() { wait_->SetWatcher(nullptr); }

  void SetWatcher(std::shared_ptr<Wakeable> watcher) { wait_->SetWatcher(std::move(watcher)); }
  bool is_waiting() const { return wait_->is_waiting(); }
  std::optional<Error> TakeFailure() { return wait_->TakeFailure(); }

  /// Whether the view shows all of `records`. If not, the webhook is asked, and the watcher is
  /// woken when it has answered. What is there stays until the next call.
  bool AreReady(std::span<const store::Record* const> records);

 private:
  const Core& core_;
  const storage::View view_;
  const Frozen<ShareOwner> owner_;
  const std::shared_ptr<ConversionWait> wait_ = std::make_shared<ConversionWait>();
  Prepared held_;
};

/// Has the whole collection that the watch `request` is about converted.
/// Errors: those of PrepareRange.
Task<> PrepareWatch(const Core* core, ResourceRequest request);

}  // namespace dray::server::verbs::inline conversion
