// SPDX-License-Identifier: Apache-2.0
// The thread that keeps the mirror up to date.
//
// It reads all keys once, then follows one watch from there and publishes each revision: first the
// snapshot and the events, then it wakes subscribers, then those who wait for the revision. When
// the watch breaks, it starts another one right after the last published revision, at the next
// endpoint. When etcd has compacted what lies between, or the watch contradicts the mirror, it
// reads all keys again, and all older revisions become Expired.
//
// It stops permanently when etcd is another cluster, or older than what has been seen (restored
// from a backup): going on would undo revisions that were acknowledged.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "store/etcd/mirror/mirror.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/history.h"
#include "store/sequencer.h"
#include "store/subscriptions.h"

namespace dray::store::etcd::mirror {

/// What etcd held when the store was opened.
struct InitialState {
  uint64_t cluster_id = 0;
  Frozen<Snapshot> snapshot{};
};

class Follower {
 public:
  /// What it works with; all outlive it.
  struct Dependencies {
    World& world;
    const Log& log;
    const EtcdOptions& options;
    rpc::Client& client;
  };
  /// What it publishes to; all outlive its thread.
  struct Listeners {
    History& history;
    Subscriptions& subscriptions;
    RevisionWaiters& waiters;
    std::function<void(const Change&)> before_publishing;
  };

  Follower(const Dependencies& dependencies, std::string prefix, ReadValue read_value);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  /// Reads everything for the first time.
  ///
  /// Errors: kServiceUnavailable  no endpoint answers; the message has what each said.
  Result<InitialState> Begin();
  /// After Begin.
  void Start(const Listeners& listeners);
  /// Begins to end the thread; it ends when the client, which it may wait for, has been closed.
  void BeginToStop();
  /// Waits for the end of the thread. May be called again.
  void Stop();

  /// Asks etcd for a progress answer, if its version can be trusted with them.
  void RequestProgress();
  /// Cancels the watch if it has been silent for `patience`, so that another one is started: for
  /// when etcd has a revision that the watch did not bring.
  void CancelSilentWatch(std::chrono::nanoseconds patience);

  /// For Mirror::Shows and Mirror::RecordOf, which are safe from any thread.
  const Mirror& mirror() const { return mirror_; }
  size_t live_bytes() const { return live_bytes_; }
  int64_t file_bytes() const { return file_bytes_; }
  /// Why it has stopped permanently; empty if it has not.
  std::string failure() const;
  /// Why the watch cannot be restarted at the moment; empty if it runs, or broke only just now.
  std::string problem() const;

 private:
  /// How following a watch ended.
  struct End {
    std::string why{};
    bool permanent = false;
  };

  void Run();
  End FollowOnce();
  /// Which watch others may cancel or ask for progress; null: none.
  void SetWatch(rpc::Watch* watch, bool progress_counts);
  /// Checks that etcd is the same cluster as before and not older; otherwise says how to end.
  std::optional<End> CheckIdentity(const rpc::StatusAnswer& status);
  /// Reads all keys into the mirror.
  rpc::Answer<Frozen<Snapshot>> ReadAll();
  /// Reads all keys again and publishes them. Returns nothing, or why that failed.
  std::optional<End> Reload();
  End Follow(rpc::Watch& watch, Mirror::Progress progress);
  void OnWatchAnswer();
  void Publish(const Mirror::Step& step);
  void BackOff(const std::string& why);
  void StopPermanently(const std::string& why);

  const Dependencies deps_;
  const rpc::KeySpan keys_;
  Mirror mirror_;                               // only its thread changes it, and Begin
  std::unique_ptr<const Listeners> listeners_;  // from Start on
  uint64_t cluster_id_ = 0;
  size_t endpoint_ = 0;
  bool must_reload_ = false;
  bool is_broken_ = false;         // and that has been logged
  MonotonicTime working_since_{};  // unless it is broken
  std::chrono::milliseconds backoff_{0};
  std::atomic<size_t> live_bytes_ = 0;
  std::atomic<int64_t> file_bytes_ = 0;
  std::atomic<MonotonicTime> last_answer_at_{};  // when the watch last brought an answer
  std::atomic<bool> stopping_ = false;
  Wakeup wakeup_;
  mutable Mutex mutex_;
  rpc::Watch* watch_ DRAY_GUARDED_BY(mutex_) = nullptr;
  bool progress_counts_ DRAY_GUARDED_BY(mutex_) = false;
  std::string failure_ DRAY_GUARDED_BY(mutex_);
  std::string problem_ DRAY_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace dray::store::etcd::mirror
