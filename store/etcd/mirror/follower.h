// SPDX-License-Identifier: Apache-2.0
// The thread that keeps the mirror up to date.
//
// It reads all keys once, then follows one watch from there. For each revision it publishes the
// snapshot and the events, then wakes subscribers, then callbacks that wait for the revision. When
// the watch breaks, the thread starts another one right after the last published revision, at the
// next endpoint. When etcd has compacted the revisions in between, or the watch contradicts the
// mirror, the thread reads all keys again, and all older revisions become Expired.
//
// It stops permanently when etcd is another cluster, or older than the mirror (restored from a
// backup), because following it would undo revisions that were acknowledged.
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
  /// Used by the follower; all outlive it.
  struct Dependencies {
    World& world;
    const Log& log;
    const EtcdOptions& options;
    rpc::Client& client;
  };
  /// Receivers of what the follower publishes; all outlive its thread.
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

  /// Reads all keys for the first time.
  ///
  /// Errors: kServiceUnavailable  no endpoint answers; the message has the reason for each.
  Result<InitialState> Begin();
  /// Starts the thread. Call after Begin.
  void Start(const Listeners& listeners);
  /// Asks the thread to end. It may be waiting for the client, so it ends only after the client has
  /// been closed.
  void BeginToStop();
  /// Waits for the end of the thread. May be called again.
  void Stop();

  /// Asks etcd for a progress answer, if progress answers of its version are reliable.
  void RequestProgress();
  /// Cancels the watch if it has delivered nothing for `patience`, so that the follower starts
  /// another one. Call this when etcd has a revision that the watch did not deliver.
  void CancelSilentWatch(std::chrono::nanoseconds patience);

  /// For Mirror::Shows and Mirror::RecordOf, which are safe from any thread.
  const Mirror& mirror() const { return mirror_; }
  size_t live_bytes() const { return live_bytes_; }
  int64_t file_bytes() const { return file_bytes_; }
  /// Why the follower has stopped permanently; empty if it has not.
  std::string failure() const;
  /// Why the watch cannot be restarted at the moment; empty if it runs, or broke a moment ago.
  std::string problem() const;

 private:
  /// How a watch ended.
  struct End {
    std::string why{};
    bool permanent = false;
  };

  void Run();
  End FollowOnce();
  /// Sets the watch that other threads may cancel or ask for progress; null for none.
  void SetWatch(rpc::Watch* watch, bool progress_counts);
  /// Checks that etcd is the same cluster as before and not older. If not, returns how following
  /// ends.
  std::optional<End> CheckIdentity(const rpc::StatusAnswer& status);
  /// Reads all keys into the mirror.
  rpc::Answer<Frozen<Snapshot>> ReadAll();
  /// Reads all keys again and publishes them. Returns nothing on success, else the reason.
  std::optional<End> Reload();
  End Follow(rpc::Watch& watch, Mirror::Progress progress);
  void OnWatchAnswer();
  void Publish(const Mirror::Step& step);
  void BackOff(const std::string& why);
  void StopPermanently(const std::string& why);

  const Dependencies deps_;
  const rpc::KeySpan keys_;
  Mirror mirror_;                               // changed only by Begin and the thread
  std::unique_ptr<const Listeners> listeners_;  // from Start on
  uint64_t cluster_id_ = 0;
  size_t endpoint_ = 0;
  bool must_reload_ = false;
  bool is_broken_ = false;         // and the failure has been logged
  MonotonicTime working_since_{};  // meaningful unless is_broken_
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
