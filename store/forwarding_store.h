// SPDX-License-Identifier: Apache-2.0
// A store that forwards every call to another one. Subclasses override only what they do
// differently.
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace dray::store {

/// Forwards every call to `to`, which outlives this.
class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& to) : to_(to) {}

  Frozen<Snapshot> Read() const override { return to_.Read(); }
  void Sync(std::move_only_function<void(Result<Revision>)> done) override {
    to_.Sync(std::move(done));
  }
  Result<Frozen<Snapshot>> ReadAt(Revision revision) const override { return to_.ReadAt(revision); }
  void Commit(Txn txn, CommitCallback done) override {
    to_.Commit(std::move(txn), std::move(done));
  }
  bool takes_steps() const override { return to_.takes_steps(); }
  void CommitSteps(std::vector<Step> steps) override { to_.CommitSteps(std::move(steps)); }
  Result<Batch> EventsAfter(Revision after, std::string_view prefix, size_t max) const override {
    return to_.EventsAfter(after, prefix, max);
  }
  Result<Subscription> Subscribe(Wake wake) override { return to_.Subscribe(std::move(wake)); }
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override {
    to_.ExpireDue(now, max, std::move(done));
  }
  Result<> Compact(Revision revision) override { return to_.Compact(revision); }
  Status status() const override { return to_.status(); }

 protected:
  Store& to() { return to_; }
  const Store& to() const { return to_; }

 private:
  Store& to_;
};

}  // namespace dray::store
