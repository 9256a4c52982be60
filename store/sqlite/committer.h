// SPDX-License-Identifier: Apache-2.0
// The one thread that writes: all waiting requests become one SQLite transaction, which is
// published once it is durable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/history.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/sqlite/commit_queue.h"
#include "store/sqlite/database.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/upkeep.h"
#include "store/store.h"
#include "store/subscriptions.h"

namespace dray::store::sqlite {

class Committer {
 public:
  /// What it works with; all outlive it.
  struct Dependencies {
    const Options& options;
    const SqliteOptions& sqlite_options;
    CommitQueue& queue;
    History& history;
    Subscriptions& subscriptions;
  };

  /// `recovered` is what `database` said; dependencies.history begins with it.
  static Result<std::unique_ptr<Committer>> Make(const Dependencies& dependencies,
                                                 std::unique_ptr<Database> database,
                                                 const Recovered& recovered);

  /// The thread: returns once the queue is closed and all that was in it has been answered.
  void Run();

  /// Writes the floor and deletes what is below it, soon. From any thread.
  void ForceFloor(Revision floor);

  /// Of the newest commit. From any thread.
  struct Numbers {
    size_t live_bytes = 0;
    std::optional<WallTime> next_expiry;
    std::string failure;  // as Status::failure
  };
  Numbers numbers() const;

 private:
  using Outcome = Result<std::variant<Change, Conflict>>;
  /// A request and what the sequencer answered.
  struct Sequenced {
    Request request;
    Outcome outcome;
    bool on_durable;  // everything before it was durable already
  };
  enum class Fate : uint8_t { kDurable, kNothingWritten, kUnknown };

  Committer(const Dependencies& dependencies,
            std::unique_ptr<Database> database,
            RowWriter writer,
            std::unique_ptr<Upkeep> upkeep);

  std::vector<Sequenced> SequenceAll(std::vector<Request> batch);
  void CommitBatch(std::vector<Request> batch);
  Fate Write(const std::vector<Sequenced>& batch, Error& error);
  Result<> WriteRows(const std::vector<Sequenced>& batch);
  void Publish(std::vector<Sequenced>& batch);
  void Answer(std::vector<Sequenced>& batch);
  void AnswerFailed(std::vector<Sequenced>& batch, Fate fate, const Error& error);
  void DoUpkeep(size_t changes);
  void DoCheckpoint();
  void Stop(const Error& error);
  /// An error outside a commit: nothing is lost, but all except a full disk stops the store.
  void NoteUpkeepError(const Error& error);
  void PublishNumbers();

  const Dependencies deps_;
  const std::unique_ptr<Database> database_;
  RowWriter writer_;
  const std::unique_ptr<Upkeep> upkeep_;
  std::unique_ptr<Sequencer> sequencer_;  // never null
  int checkpoint_at_;
  size_t upkeep_owed_ = 0;  // work, for the commits since the last step
  bool stopped_ = false;
  std::atomic<int64_t> forced_floor_{0};
  mutable Mutex mutex_;
  Numbers numbers_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::sqlite
