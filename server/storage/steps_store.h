// SPDX-License-Identifier: Apache-2.0
// A store over which requests that know nothing of each other become steps of one CommitSteps.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/forwarding_store.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::storage {

/// Everything is `store`'s, which outlives it; but on a thread that has a Turn, commits wait for
/// the end of the turn, and what is read is what they will leave, with revisions that may still
/// change.
class StepsStore final : public store::ForwardingStore {
 public:
  /// Made and destroyed by one thread, which has no other one.
  class Turn {
   public:
    explicit Turn(StepsStore& store);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// The commits that wait.
    size_t size() const { return steps_.size(); }
    /// Ends the turn: carries out what waits, all or nothing; without this, it is refused. A
    /// conflict is an error here.
    void CarryOut();

   private:
    friend class StepsStore;
    void Add(store::Txn txn, store::CommitCallback done);

    StepsStore& store_;
    Frozen<store::Snapshot> state_;  // that the steps leave
    std::vector<store::Step> steps_;
  };

  explicit StepsStore(store::Store& store) : ForwardingStore(store) {}

  Frozen<store::Snapshot> Read() const override;
  void Sync(std::move_only_function<void(Result<Revision>)> done) override;
  void Commit(store::Txn txn, store::CommitCallback done) override;

 private:
  /// The turn of this thread; null: it has none with this store.
  Turn* turn() const;
};

}  // namespace dray::server::storage
