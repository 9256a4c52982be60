// SPDX-License-Identifier: Apache-2.0
// Linearizable reads: asks etcd for its newest revision and waits until the mirror has reached it.
//
// One request to etcd is in flight at a time and serves every Sync that was called before the
// request was sent. Syncs called meanwhile share the next request. So any number of readers costs
// one round trip at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/options.h"
#include "store/etcd/requests/callback_thread.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd::requests {

using SyncCallback = std::move_only_function<void(Result<Revision>)>;

class Syncer {
 public:
  /// Used by the syncer; all outlive it.
  struct Dependencies {
    World& world;
    const EtcdOptions& options;
    rpc::Client& client;
    mirror::RevisionWaiters& waiters;
    CallbackThread& callbacks;
    /// Called when a Sync waits for the mirror.
    std::function<void()> request_progress;
    /// The key to read; any key that the client may read will do.
    std::string key;
  };

  explicit Syncer(Dependencies dependencies) : deps_(std::move(dependencies)) {}
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;
  ~Syncer() = default;

  /// See Store::Sync. Calls back on the callback thread.
  void Sync(SyncCallback done);

  /// Sends a request if a Sync waits and none is in flight. Call it periodically: it repeats
  /// requests that failed.
  void Tick();

  /// Fails the Syncs that still wait. Call after Client::Close.
  void Close();

 private:
  struct Waiting {
    SyncCallback done;
    MonotonicTime since;
  };

  bool Enqueue(SyncCallback& done);
  void Ask(std::vector<Waiting> waiting);
  void OnAnswer(std::vector<Waiting> waiting, const rpc::Answer<rpc::RangeAnswer>& answer);
  void AwaitMirror(Waiting waiting, Revision revision);
  void Finish(Waiting waiting, Result<Revision> result);

  const Dependencies deps_;
  Mutex mutex_;
  size_t in_flight_ DRAY_GUARDED_BY(mutex_) = 0;
  std::vector<Waiting> waiting_ DRAY_GUARDED_BY(mutex_);  // for the next request
  bool is_asking_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray::store::etcd::requests
