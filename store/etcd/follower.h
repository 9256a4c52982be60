// SPDX-License-Identifier: Apache-2.0
// The thread that keeps the mirror at etcd's heels.
//
// It reads everything once, then follows one watch from there and publishes each revision:
// snapshot, events, wakes, then those who wait for the revision. When the watch breaks it begins
// another right behind the last revision published, at the next endpoint. When etcd has compacted
// what lies between, or what the watch says does not fit, it reads everything again and all older
// revisions become Expired.
//
// It stops for good when etcd is not what it was: another cluster, or older than what has been seen
// (restored from a backup). To go on would be to take acknowledged revisions back.
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
#include "store/etcd/arrivals.h"
#include "store/etcd/client.h"
#include "store/etcd/messages.h"
#include "store/etcd/mirror.h"
#include "store/etcd/options.h"
#include "store/history.h"
#include "store/sequencer.h"
#include "store/subscriptions.h"

namespace dray::store::etcd {

/// What was found when the store was opened.
struct Beginning {
  uint64_t cluster_id = 0;
  Frozen<Snapshot> snapshot{};
};

class Follower {
 public:
  /// What it works with; all outlive it.
  struct Around {
    World& world;
    const Log& log;
    const EtcdOptions& options;
    Client& client;
  };
  /// Whom it tells; all outlive its thread.
  struct Audience {
    History& history;
    Subscriptions& subscriptions;
    Arrivals& arrivals;
    std::function<void(const Change&)> before_publishing;
  };

  Follower(const Around& around, std::string prefix, ReadValue read_value);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  /// Reads everything for the first time.
  ///
  /// Errors: kServiceUnavailable  no endpoint answers; the message has what each said.
  Result<Beginning> Begin();
  /// After Begin.
  void Start(const Audience& audience);
  /// Ends the thread: it does nothing more once what it waits for, the client, has been closed.
  void BeginToStop();
  /// Waits for its end. Again is harmless.
  void Stop();

  /// Asks etcd how far everything has been told, where its word counts.
  void RequestProgress();
  /// The watch does not bring what etcd has: if it has been silent for that long, breaks it off, so
  /// that another one is begun.
  void GiveUpSilentWatch(std::chrono::nanoseconds patience);

  /// Whether a key belongs to the store; a record of etcd's as one of ours.
  const Mirror& mirror() const { return mirror_; }
  size_t live_bytes() const { return live_bytes_; }
  int64_t file_bytes() const { return file_bytes_; }
  /// Why it has stopped for good; empty if it has not.
  std::string failure() const;
  /// Why etcd is not followed at the moment; empty if it is, or has only just broken off.
  std::string trouble() const;

 private:
  /// How following a watch ended.
  struct End {
    std::string why{};
    bool for_good = false;
  };

  void Run();
  End FollowOnce();
  /// Whether etcd is still the one this store is in, and no older.
  std::optional<End> Recognize(const StatusAnswer& status);
  /// Reads everything into the mirror.
  Answer<Frozen<Snapshot>> ReadAll();
  /// Nothing, or why it could not be read.
  std::optional<End> ReadAnew();
  End Follow(Watch& watch, Mirror::Progress progress);
  void NoteSuccess();
  void Publish(const Mirror::Step& step);
  void BackOff(const std::string& why);
  void StopForGood(const std::string& why);

  const Around around_;
  const KeySpan keys_;
  Mirror mirror_;                             // only its thread changes it, and Begin
  std::unique_ptr<const Audience> audience_;  // from Start on
  uint64_t cluster_id_ = 0;
  size_t endpoint_ = 0;
  bool must_read_anew_ = false;
  bool is_broken_ = false;          // and that has been logged
  MonotonicTime going_on_since_{};  // unless it is broken
  std::chrono::milliseconds backoff_{0};
  std::atomic<size_t> live_bytes_ = 0;
  std::atomic<int64_t> file_bytes_ = 0;
  std::atomic<MonotonicTime> heard_{};  // when the watch last said something
  std::atomic<bool> stopping_ = false;
  Wakeup wakeup_;
  mutable Mutex mutex_;
  Watch* watch_ DRAY_GUARDED_BY(mutex_) = nullptr;
  bool progress_counts_ DRAY_GUARDED_BY(mutex_) = false;
  std::string failure_ DRAY_GUARDED_BY(mutex_);
  std::string trouble_ DRAY_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace dray::store::etcd
