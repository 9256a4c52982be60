// SPDX-License-Identifier: Apache-2.0
// Writes of several requests that become the steps of one Store::CommitSteps.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/frozen.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::storage {

/// Gathers one transaction of each request and commits all of them atomically. The requests run one
/// after the other (run_sequence.h), on any threads, each on the state that the steps before it
/// leave. Until CarryOut or Refuse, one thread at a time uses it.
class WriteSequence {
 public:
  /// `store` supports CommitSteps, and outlives this.
  explicit WriteSequence(store::Store& store);
  /// Refuses the steps that were neither carried out nor refused.
  ~WriteSequence();
  WriteSequence(const WriteSequence&) = delete;
  WriteSequence& operator=(const WriteSequence&) = delete;

  /// The state after the steps added so far. Its revision, and those of the records that steps
  /// write, are not final.
  const Frozen<store::Snapshot>& state() const { return state_; }
  /// The number of steps that wait.
  size_t size() const { return steps_.size(); }

  /// Adds a step. CarryOut or Refuse calls `done`. When a compare does not hold in state(), Add
  /// calls `done` with kConflict instead: an error, because a single request of the sequence must
  /// not retry. O(compares * steps * operations).
  void Add(store::Txn txn, store::CommitCallback done);
  /// `next` is called once: by the next Add or Skip.
  void OnNext(std::move_only_function<void()> next) { next_ = std::move(next); }
  /// Called when the current request has ended; does nothing if its step was added.
  void Skip();

  /// Passes the steps to the store, which calls their callbacks on its threads.
  void CarryOut();
  /// Refuses the steps with kConflict, on this thread. OnNext's function is dropped.
  void Refuse();

 private:
  store::Store& store_;
  Frozen<store::Snapshot> state_;
  std::vector<store::Step> steps_;
  std::move_only_function<void()> next_;
};

}  // namespace dray::server::storage
