// SPDX-License-Identifier: Apache-2.0
// The one thread that writes: what waits becomes one SQLite transaction, then it is seen.
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
  struct Around {
    const Options& options;
    const SqliteOptions& sqlite_options;
    CommitQueue& queue;
    History& history;
    Subscriptions& subscriptions;
  };

  /// `recovered` is what `database` said; around.history begins with it.
  static Result<std::unique_ptr<Committer>> Make(const Around& around,
                                                 std::unique_ptr<Database> database,
                                                 const Recovered& recovered);

  /// The thread: returns once the queue is closed and all that was in it has been answered.
  void Run();

  /// Has the floor written, and what is below it deleted, soon. From any thread.
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
  /// A request and what the sequencer said of it.
  struct Judged {
    Request request;
    Outcome outcome;
    bool on_durable;  // nothing undurable was before it
  };
  enum class Fate : uint8_t { kDurable, kNothingWritten, kUnknown };

  Committer(const Around& around,
            std::unique_ptr<Database> database,
            RowWriter writer,
            std::unique_ptr<Upkeep> upkeep);

  std::vector<Judged> JudgeAll(std::vector<Request> batch);
  void Carry(std::vector<Request> batch);
  Fate Write(const std::vector<Judged>& batch, Error& error);
  Result<> WriteRows(const std::vector<Judged>& batch);
  void Publish(std::vector<Judged>& batch);
  void Answer(std::vector<Judged>& batch);
  void AnswerFailed(std::vector<Judged>& batch, Fate fate, const Error& error);
  void DoUpkeep(size_t changes);
  void DoCheckpoint();
  void Stop(const Error& error);
  /// An error outside a commit: nothing is lost, but only lack of room may pass by itself.
  void Tolerate(const Error& error);
  void PublishNumbers();

  const Around around_;
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
