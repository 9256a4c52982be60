// SPDX-License-Identifier: Apache-2.0
// Clients of a Store that record every call and answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"
#include "tests/history/history.h"

namespace dray::history {

/// Assigns moments and records the calls. Safe from any thread; outlives its clients.
class Recorder {
 public:
  /// Gets each line of history_text.h, that of a call before the call is made. So another process
  /// can check the history after this one was killed. One call at a time.
  using Log = std::function<void(std::string_view line)>;

  /// Moments begin after `start`; with a log, nothing is kept in memory.
  explicit Recorder(Moment start = 0, Log log = {}) : now_(start), log_(std::move(log)) {}

  Moment Now() { return now_.fetch_add(1) + 1; }

  /// Before the call is made, and once its answer is there.
  void Called(const Operation& operation);
  void Returned(const Operation& operation);
  void Opened(const Watch& watch);
  /// `watch` without earlier responses, or with.
  void Received(const Watch& watch, const Response& response);

  /// Calls that have returned so far.
  uint64_t answered() const { return answered_; }

  /// Continues from `history`, which another process recorded.
  void Resume(History history);

  /// The recorded history. Calls that have not returned have an unknown outcome.
  History Take();

 private:
  void Write(const std::string& line) DRAY_REQUIRES(mutex_);

  std::atomic<Moment> now_;
  std::atomic<uint64_t> answered_ = 0;
  const Log log_;
  Mutex mutex_;
  History history_ DRAY_GUARDED_BY(mutex_);
};

struct Identity {
  uint32_t client = 0;
  uint32_t server = 0;
};

/// One client: one call at a time, on one thread. Answers are the store's own.
class RecordedClient {
 public:
  RecordedClient(Recorder& recorder, store::Store& store, Identity identity)
      : recorder_(recorder), store_(store), identity_(identity) {}

  /// Errors: those of Sync and ReadAt.
  Result<Seen> Read(const Get& get);
  Result<Seen> Read(const List& list);
  Result<store::CommitOutcome> Commit(store::Txn txn);
  /// Commits and ignores the outcome, which counts as unknown. Calls `done` for any outcome.
  void Abandon(store::Txn txn, std::move_only_function<void()> done);

 private:
  Operation Begin(Request request);
  Result<Frozen<store::Snapshot>> SnapshotFor(Freshness freshness, Revision at);
  template <class Asked>
  Result<Seen> ReadAs(const Asked& asked);

  Recorder& recorder_;
  store::Store& store_;
  const Identity identity_;
};

/// A cursor that requests the events after those it has seen; on one thread.
class RecordedWatch {
 public:
  RecordedWatch(Recorder& recorder,
                const store::Store& store,
                Identity identity,
                std::string prefix,
                Revision after);

  /// The next events, as Store::EventsAfter. A batch without events and without progress is not
  /// recorded.
  Result<store::Batch> Next(size_t max);

  /// The watch is complete up to here.
  Revision through() const { return through_; }
  /// The last revision of which it has seen an event; where it began, if none.
  Revision last_event() const { return last_event_; }
  const std::string& prefix() const { return watch_.prefix; }

 private:
  Recorder& recorder_;
  const store::Store& store_;
  Watch watch_;
  Revision through_;
  Revision last_event_;
};

/// Converts a record to a history's item.
Item ItemOf(const store::Record& record);

}  // namespace dray::history
