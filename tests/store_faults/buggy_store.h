// SPDX-License-Identifier: Apache-2.0
// A store with a bug, to test that the checker finds it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/forwarding_store.h"
#include "store/snapshot.h"

namespace dray::store_faults {

enum class Bug : uint8_t {
  kLostWrite,                // acknowledged, and never carried out
  kHalfTransaction,          // only the first operation is carried out, all are acknowledged
  kStaleRead,                // a snapshot from some time ago
  kLostEvent,                // a batch lacks one
  kReorderedEvents,          // two events of a batch change places
  kDuplicateAfterReconnect,  // events that a watch has seen come again
  kSplitRevision,            // a batch ends within a revision
  kWrongPrevious,            // an event has a wrong previous value
  kEarlyBookmark,            // a batch claims to be complete up to the newest revision
};

/// "lost write" in the form of test names: "LostWrite".
std::string_view BugName(Bug bug);
std::vector<Bug> AllBugs();

/// Forwards all calls to a correct store, but shows the bug `bug` once in a while.
class BuggyStore final : public store::ForwardingStore {
 public:
  BuggyStore(store::Store& right, Bug bug, uint64_t seed)
      : ForwardingStore(right), bug_(bug), random_(seed) {}

  /// How often the bug has had an effect that the history of the run shows.
  size_t times() const { return times_; }

  Frozen<store::Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  void Commit(store::Txn txn, store::CommitCallback done) override;
  Result<store::Batch> EventsAfter(Revision after,
                                   std::string_view prefix,
                                   size_t max) const override;

 private:
  bool Now(Bug bug, uint64_t percent) const;
  void Spoil(store::Batch& batch) const;
  store::Committed Pretend(const store::Txn& txn, Revision revision) const;

  /// A client, which is one thread.
  struct Client {
    /// Revision of its last commit. The history includes it by the time of the client's next call.
    Revision committed = store::kFirstRevision;
    bool has_synced = false;  // since its last read; its next read must see everything
  };

  Frozen<store::Snapshot> ReadStale() const;

  const Bug bug_;
  mutable SeededRandom random_;
  mutable std::atomic<size_t> times_{0};
  mutable Mutex mutex_;
  mutable Frozen<store::Snapshot> old_ DRAY_GUARDED_BY(mutex_);
  mutable std::map<std::thread::id, Client> clients_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store_faults
