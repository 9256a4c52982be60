// SPDX-License-Identifier: Apache-2.0
// The store of one process in one file: SQLite as a log of revisions, everything read from memory.
//
// Commit encodes on the calling thread and queues. One thread takes whatever waits, lets the
// sequencer decide each transaction on top of those before it, writes the changes of all as one
// SQLite transaction, and only when that is synced publishes them, in order, wakes subscribers and
// calls back. So nobody sees what a crash could undo, a conflict with a transaction of the same
// batch is answered when that one is durable, and the cost of a flush is shared by all who wait.
//
// When the disk has no room, the transactions of the batch are refused and nothing has changed.
// After any other failure of a commit nobody can know what is on the disk (a flush that failed must
// not be tried again: the system may have dropped the pages): those who wait are told kTimeout, and
// the store takes no more writes (Status::failure), but goes on answering reads. Opening it again
// shows what survived.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/held_commits.h"
#include "store/history.h"
#include "store/snapshot.h"
#include "store/sqlite/commit_queue.h"
#include "store/sqlite/committer.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/store.h"
#include "store/subscriptions.h"

namespace dray::store::sqlite {

class SqliteStore final : public Store, public CommitHolder {
 public:
  /// Opens the store in `folder`, or makes one there; the folder itself is made if its parent
  /// exists. Reads the live records and the recent history: after a restart watches go on from
  /// where they were, or are told Expired. O(live keys + rows of the log).
  ///
  /// Errors: kServiceUnavailable  another process, named, uses the folder, or the disk is full.
  ///         kForbidden           the folder cannot be made, or may not be written.
  ///         kInvalid             the file is not a store, or of a newer version.
  ///         kInternalError       it is corrupt, or the disk failed.
  static Result<std::unique_ptr<SqliteStore>> Open(const std::string& folder,
                                                   const Options& options = {},
                                                   const SqliteOptions& sqlite_options = {});

  /// Commits what waits, then closes the file. Transactions that callbacks begin meanwhile are
  /// refused.
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Frozen<Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const override;
  /// Calls back on the thread that commits, or on the calling one if the transaction is refused
  /// without having been queued.
  void Commit(Txn txn, CommitCallback done) override;
  bool takes_steps() const override { return true; }
  void CommitSteps(std::vector<Step> steps) override;
  void Hold() override { queue_.Hold(); }
  void Release() override { queue_.Release(); }
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const override;
  Result<Subscription> Subscribe(Wake wake) override;
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override;
  /// The floor rises at once; it is on the disk soon afterwards, and before anything is deleted.
  Result<> Compact(Revision revision) override;
  Status status() const override;

 private:
  SqliteStore(std::string folder,
              FolderLock lock,
              Options options,
              SqliteOptions sqlite_options,
              const Recovered& recovered);

  const std::string folder_;
  const FolderLock lock_;
  const Options options_;
  const SqliteOptions sqlite_options_;
  const std::string id_;
  Subscriptions subscriptions_;
  History history_;
  CommitQueue queue_;
  std::unique_ptr<Committer> committer_;  // never null once open
  std::jthread thread_;                   // of committer_->Run()
};

}  // namespace dray::store::sqlite
