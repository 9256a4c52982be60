// SPDX-License-Identifier: Apache-2.0
// The one thread that writes: all waiting requests become one SQLite transaction, which is
// published once it is durable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/history.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/sqlite/answered.h"
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
  /// Used by the committer; all outlive it.
  struct Dependencies {
    const Options& options;
    const SqliteOptions& sqlite_options;
    CommitQueue& queue;
    History& history;
    Subscriptions& subscriptions;
  };

  /// `recovered` was read from `database`; dependencies.history begins with it.
  static Result<std::unique_ptr<Committer>> Make(const Dependencies& dependencies,
                                                 AnsweredWriter answered,
                                                 std::unique_ptr<Database> database,
                                                 const Recovered& recovered);

  /// The thread's function. Returns once the queue is closed and all its requests have been
  /// answered.
  void Run();

  /// Soon writes the floor and deletes the records below it. Safe from any thread.
  void ForceFloor(Revision floor);

  /// Numbers as of the newest commit. Safe from any thread.
  struct Numbers {
    size_t live_bytes = 0;
    std::optional<WallTime> next_expiry;
    std::string failure;  // as Status::failure
  };
  Numbers numbers() const;

 private:
  using Outcome = Sequencer::Outcome;
  /// A request and the sequencer's outcome.
  struct Sequenced {
    Request request;
    Outcome outcome;
    bool on_durable;  // everything before it was durable already
  };
  enum class Fate : uint8_t { kDurable, kNothingWritten, kUnknown };

  Committer(const Dependencies& dependencies,
            AnsweredWriter answered,
            std::unique_ptr<Database> database,
            RowWriter writer,
            std::unique_ptr<Upkeep> upkeep);

  std::vector<Request> TakeBatch();
  Outcome Judge(Request& request);
  void SequenceAll(std::vector<Request>& batch, std::vector<Sequenced>& judged);
  std::vector<Outcome> JudgeSteps(std::span<const Request> steps);
  void CommitBatch(std::vector<Request> batch);
  Fate Write(std::span<const Sequenced> batch, Error& error);
  Result<> TryToWrite(std::span<const Sequenced> batch, Fate& fate);
  Result<> WriteRows(std::span<const Sequenced> batch);
  /// Publishes changes that are durable. Returns how many of `batch`, from the first on, may be
  /// answered. Returns fewer than all if there is no memory; the committer has then stopped.
  size_t Publish(std::span<const Sequenced> batch);
  void Answer(std::span<Sequenced> batch);
  void AnswerFailed(std::span<Sequenced> batch, Fate fate, const Error& error);
  void Refuse(std::span<Request> batch, const Error& error);
  void DoUpkeep(size_t changes);
  bool has_checkpoint() const;
  /// Copies the log if `has_no_waiter`, or if the log has grown a lot since the copy was due.
  void DoCheckpoint(bool has_no_waiter);
  void Stop(std::string_view why);
  /// Handles an error outside a commit. Nothing is lost, but every error except a full disk stops
  /// the store.
  void NoteUpkeepError(const Error& error);
  void PublishNumbers();

  const Dependencies deps_;
  AnsweredWriter answered_;
  const std::unique_ptr<Database> database_;
  RowWriter writer_;
  const std::unique_ptr<Upkeep> upkeep_;
  Sequencer sequencer_;
  int checkpoint_at_;
  size_t upkeep_owed_ = 0;  // work, for the commits since the last step
  bool stopped_ = false;
  std::atomic<int64_t> forced_floor_{0};
  mutable Mutex mutex_;
  Numbers numbers_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::sqlite
