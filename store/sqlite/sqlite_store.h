// SPDX-License-Identifier: Apache-2.0
// The store of one process in one file: SQLite as a log of revisions, everything read from memory.
//
// Commit encodes on the calling thread and queues the transaction. One thread takes all waiting
// transactions and lets the sequencer decide each on top of those before it. It writes all changes
// as one SQLite transaction. Only when that is synced does it publish them, in order, wake
// subscribers and call back. So no reader sees a change that a crash could undo, a conflict with a
// transaction of the same batch is answered when that transaction is durable, and all waiting
// commits share the cost of one flush.
//
// When the disk has no room, the transactions of the batch are refused and nothing has changed.
// After any other failure of a commit the contents of the disk are unknown. (A failed flush must
// not be retried, because the kernel may have dropped the pages.) The waiting commits get kTimeout,
// and the store refuses further writes (Status::failure) but still answers reads. Opening the store
// again shows what survived.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/frozen.h"
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
  /// Opens the store in `folder`, or creates one there; the folder itself is created if its parent
  /// exists. Reads the live records and the recent history, so after a restart watches continue, or
  /// get Expired. O(live keys + rows of the log).
  ///
  /// Errors: kServiceUnavailable  another process, named, uses the folder, or the disk is full.
  ///         kForbidden           the folder cannot be created, or may not be written.
  ///         kInvalid             the file is not a store, or of a newer version.
  ///         kInternalError       it is corrupt, or the disk failed.
  static Result<std::unique_ptr<SqliteStore>> Open(const std::string& folder,
                                                   const Options& options = {},
                                                   const SqliteOptions& sqlite_options = {});

  /// Commits the queued transactions, then closes the file. Refuses transactions that callbacks
  /// begin meanwhile.
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Frozen<Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const override;
  /// Calls back on the thread that commits, or on the calling thread if the transaction is refused
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
  /// The floor rises at once. It is written to the disk soon afterwards, before any record is
  /// deleted.
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
  std::jthread thread_;                   // runs committer_->Run()
};

}  // namespace dray::store::sqlite
