// SPDX-License-Identifier: Apache-2.0
// Reads and writes of one request, and the threads on which the request continues after them.
#pragma once

#include <string_view>

#include "base/frozen.h"
#include "base/task.h"
#include "base/worker_pool.h"
#include "server/storage/write_sequence.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::storage {

/// Belongs to one request and lives as long as its task; one thread at a time uses it. A verb
/// computes a transaction from the state that Read returns and passes it to Commit. It needs to
/// know neither whether its write is a step of a sequence nor which thread it runs on.
///
/// Threads: a request that begins on a thread of the pool continues on the pool after every wait.
/// Any other request continues on the thread on which the store calls back, possibly the one that
/// commits, and so must be short from there on. A request that has waited for something else than
/// the store, such as the network, awaits ContinueOnWorker; from then on it runs on the pool.
///
/// Memory: if posting to the pool fails to allocate, the task ends as out of memory. A write whose
/// commit was awaited may have happened.
class WriteSession {
 public:
  struct Place {
    /// Null: there is no pool, and the request continues on the thread that calls back.
    WorkerPool* workers = nullptr;
    /// The queue of the pool in which the request waits (LineOf its owner). Outlives the session.
    std::string_view line = {};
    /// The sequence that the request's first write is a step of; null: it is committed alone.
    WriteSequence* sequence = nullptr;
  };

  /// Called on the thread on which the request begins. The store and the pool outlive this; the
  /// sequence lives until the first Commit returns.
  WriteSession(store::Store& store, const Place& place);
  WriteSession(const WriteSession&) = delete;
  WriteSession& operator=(const WriteSession&) = delete;
  ~WriteSession() = default;

  /// The newest state of this process; in a sequence, the state after its steps. O(1).
  Frozen<store::Snapshot> Read() const;
  /// The newest state, including all writes acknowledged before the call (Store::Sync); in a
  /// sequence, the same as Read. Errors: Store::Sync's.
  Task<Frozen<store::Snapshot>> ReadNewest();
  /// Commits `txn`; a conflict is a value. In a sequence it waits until all requests of it have
  /// their steps; what comes after the first commit is no part of the sequence.
  /// Errors: Store::Commit's; in a sequence also kConflict, when it is not carried out. The
  /// error for a value that is too large for the store has no reason, as upstream's.
  Task<store::CommitOutcome> Commit(store::Txn txn);

  /// Continues on a thread of the pool, now and after every later wait. If there is no pool, or it
  /// is closing, continues on the calling thread. Fails only for want of memory.
  Task<> ContinueOnWorker();

 private:
  store::Store& store_;
  WorkerPool* const workers_;
  const std::string_view line_;
  WriteSequence* sequence_;
  bool by_worker_;
};

}  // namespace dray::server::storage
