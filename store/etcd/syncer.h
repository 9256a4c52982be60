// SPDX-License-Identifier: Apache-2.0
// Linearisable reads: which revision etcd is at, and the wait until the mirror is there too.
//
// One question is under way at a time and answers all who asked before it was sent; those who come
// meanwhile share the next one. So any number of readers costs one round trip after the other.
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
#include "store/etcd/answers.h"
#include "store/etcd/arrivals.h"
#include "store/etcd/client.h"
#include "store/etcd/messages.h"
#include "store/etcd/options.h"

namespace dray::store::etcd {

using SyncCallback = std::move_only_function<void(Result<Revision>)>;

class Syncer {
 public:
  /// What it works with; all outlive it.
  struct Around {
    World& world;
    const EtcdOptions& options;
    Client& client;
    Arrivals& arrivals;
    Answers& answers;
    /// Called when an answer waits for the mirror.
    std::function<void()> hurry;
    /// What to ask for: any key that may be read.
    std::string key;
  };

  explicit Syncer(Around around) : around_(std::move(around)) {}
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;
  ~Syncer() = default;

  /// As Store::Sync. Calls back through Answers.
  void Sync(SyncCallback done);

  /// Asks if somebody waits and nobody asks; from time to time, so that what was not answered is
  /// asked again.
  void Tick();

  /// Nothing is under way at the client any more: tells those who still wait.
  void Close();

 private:
  struct Waiting {
    SyncCallback done;
    MonotonicTime since;
  };

  bool Enqueue(SyncCallback& done);
  void Ask(std::vector<Waiting> waiting);
  void OnAnswer(std::vector<Waiting> waiting, const Answer<RangeAnswer>& answer);
  void AwaitMirror(Waiting waiting, Revision revision);
  void Finish(Waiting waiting, Result<Revision> result);

  const Around around_;
  Mutex mutex_;
  size_t under_way_ DRAY_GUARDED_BY(mutex_) = 0;
  std::vector<Waiting> waiting_ DRAY_GUARDED_BY(mutex_);  // for the next question
  bool is_asking_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray::store::etcd
