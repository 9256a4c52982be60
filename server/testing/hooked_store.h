// SPDX-License-Identifier: Apache-2.0
// A store in memory with hooks: a test can run code right after a read takes its snapshot, and
// before a sync.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "store/forwarding_store.h"
#include "store/memory_store.h"

namespace dray::server::testing {

/// Forwards to a MemoryStore; Read() runs a hook after it took its snapshot.
class HookedStore final : public store::ForwardingStore {
 public:
  HookedStore() : ForwardingStore(store_) {}

  /// Runs once, inside the next Read() and after its snapshot was taken. It may use the store.
  void AfterNextRead(std::function<void()> hook) {
    const MutexLock lock(mutex_);
    hook_ = std::move(hook);
  }

  /// Sets a hook that runs at the beginning of every Sync(), on the calling thread. Requests begin
  /// with a Sync(). Null: none.
  void OnSync(std::function<void()> hook) {
    const MutexLock lock(mutex_);
    on_sync_ = std::move(hook);
  }

  Frozen<store::Snapshot> Read() const override {
    Frozen<store::Snapshot> snapshot = store_.Read();
    std::function<void()> hook;
    {
      const MutexLock lock(mutex_);
      hook.swap(hook_);
    }
    if (hook) hook();
    return snapshot;
  }
  void Sync(std::move_only_function<void(Result<Revision>)> done) override {
    std::function<void()> hook;
    {
      const MutexLock lock(mutex_);
      hook = on_sync_;
    }
    if (hook) hook();
    store_.Sync(std::move(done));
  }

 private:
  store::MemoryStore store_;
  mutable Mutex mutex_;
  mutable std::function<void()> hook_ DRAY_GUARDED_BY(mutex_);
  std::function<void()> on_sync_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::testing
