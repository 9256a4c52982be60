// SPDX-License-Identifier: Apache-2.0
#include "server/storage/steps_store.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "store/sequencer.h"

namespace dray::server::storage {
namespace {

// Of this thread: verbs that go on elsewhere, with another thread, are in nobody's turn.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): what a thread has begun
thread_local StepsStore::Turn* current = nullptr;

Error NotCarriedOut() {
  return {.reason = StatusReason::kConflict,
          .message = "what was to happen before or after cannot be done"};
}

/// Whether the compare holds in `state`.
bool Holds(const store::Compare& compare, const store::Snapshot& state) {
  const store::Record* record = state.Find(compare.key);
  return (record == nullptr ? store::kAbsent : record->modified) == compare.modified;
}

bool Writes(const store::Txn& txn, std::string_view key) {
  return std::ranges::any_of(txn.operations, [key](const store::Operation& operation) {
    return std::visit([key](const auto& one) { return one.key == key; }, operation);
  });
}

/// `done`, told of a conflict as of an error: who waits must not try again alone.
store::CommitCallback WithoutConflict(store::CommitCallback done) {
  return [done = std::move(done)](Result<store::CommitOutcome> outcome) mutable {
    const bool is_conflict =
        outcome.has_value() && std::holds_alternative<store::Conflict>(*outcome);
    done(is_conflict ? Fail(NotCarriedOut()) : std::move(outcome));
  };
}

}  // namespace

StepsStore::Turn::Turn(StepsStore& store) : store_(store), state_(store.to().Read()) {
  DRAY_CHECK(current == nullptr);
  current = this;
}

StepsStore::Turn::~Turn() {
  current = nullptr;
  for (store::Step& step : std::exchange(steps_, {})) step.done(Fail(NotCarriedOut()));
}

void StepsStore::Turn::CarryOut() {
  current = nullptr;
  store_.to().CommitSteps(std::exchange(steps_, {}));
}

void StepsStore::Turn::Add(store::Txn txn, store::CommitCallback done) {
  const auto holds = [&](const store::Compare& compare) { return Holds(compare, *state_); };
  if (!std::ranges::all_of(txn.compares, holds)) return done(Fail(NotCarriedOut()));
  // What it compares with earlier steps has just been seen to hold, at revisions that may change.
  std::erase_if(txn.compares, [&](const store::Compare& compare) {
    return std::ranges::any_of(
        steps_, [&](const store::Step& step) { return Writes(step.txn, compare.key); });
  });
  store::Change change = store::ChangeBy(state_, txn.operations);
  steps_.push_back({.txn = std::move(txn), .done = WithoutConflict(std::move(done))});
  state_ = std::move(change.next);
}

Frozen<store::Snapshot> StepsStore::Read() const {
  const Turn* turn = this->turn();
  return turn == nullptr ? to().Read() : turn->state_;
}

void StepsStore::Sync(std::move_only_function<void(Result<Revision>)> done) {
  const Turn* turn = this->turn();
  if (turn == nullptr) return to().Sync(std::move(done));
  done(turn->state_->revision());
}

void StepsStore::Commit(store::Txn txn, store::CommitCallback done) {
  Turn* turn = this->turn();
  if (turn == nullptr) return to().Commit(std::move(txn), std::move(done));
  turn->Add(std::move(txn), std::move(done));
}

StepsStore::Turn* StepsStore::turn() const {
  return current != nullptr && &current->store_ == this ? current : nullptr;
}

}  // namespace dray::server::storage
