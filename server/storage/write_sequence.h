// SPDX-License-Identifier: Apache-2.0
// Writes of several requests that become the steps of one Store::CommitSteps.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/published.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::storage {

/// Gathers one transaction of each request and hands all of them to the store together: all happen,
/// or none. The requests run one after the other (run_sequence.h), each on the state that those
/// before it leave, on whatever threads. Until CarryOut or Refuse one thread at a time uses it.
class WriteSequence {
 public:
  /// `store` takes steps, and outlives this.
  explicit WriteSequence(store::Store& store);
  /// Refuses the steps that still wait.
  ~WriteSequence();
  WriteSequence(const WriteSequence&) = delete;
  WriteSequence& operator=(const WriteSequence&) = delete;

  /// The state that the steps leave. Its revision, and those of the records that steps write, are
  /// not final.
  const Frozen<store::Snapshot>& state() const { return state_; }
  /// Steps that wait.
  size_t size() const { return steps_.size(); }

  /// Adds a step. `done` is called by CarryOut or Refuse; at once, with kConflict, when a compare
  /// does not hold in state(). A conflict is an error here, because a request alone must not try
  /// again. O(compares * steps * operations).
  void Add(store::Txn txn, store::CommitCallback done);
  /// Calls `next` once: when a step has been added, or at Skip.
  void OnNext(std::move_only_function<void()> next) { next_ = std::move(next); }
  /// The current request has ended. Does nothing if its step was added.
  void Skip();

  /// Hands the steps to the store, which calls their callbacks on its threads.
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
