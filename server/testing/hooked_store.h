// SPDX-License-Identifier: Apache-2.0
// A store in memory that lets a test in between a read and what its reader does next, and before
// one.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "store/forwarding_store.h"
#include "store/memory_store.h"

namespace dray::server::testing {

/// Everything is MemoryStore's; Read() runs a hook after it took its snapshot.
class HookedStore final : public store::ForwardingStore {
 public:
  HookedStore() : ForwardingStore(store_) {}

  /// Runs once, inside the next Read() and after its snapshot was taken. It may use the store.
  void AfterNextRead(std::function<void()> hook) {
    const MutexLock lock(mutex_);
    hook_ = std::move(hook);
  }

  /// Runs at the beginning of every Sync(), on the thread that asks: requests begin so. Null: none.
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
