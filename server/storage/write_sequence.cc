// SPDX-License-Identifier: Apache-2.0
#include "server/storage/write_sequence.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "store/sequencer.h"

namespace dray::server::storage {
namespace {

Error NotCarriedOut() {
  return {.reason = StatusReason::kConflict,
          .message = "what was to happen before or after cannot be done"};
}

bool Holds(const store::Compare& compare, const store::Snapshot& state) {
  const store::Record* record = state.Find(compare.key);
  return (record == nullptr ? store::kAbsent : record->modified) == compare.modified;
}

bool Writes(const store::Txn& txn, std::string_view key) {
  return std::ranges::any_of(txn.operations, [key](const store::Operation& operation) {
    return std::visit([key](const auto& one) { return one.key == key; }, operation);
  });
}

store::CommitCallback WithoutConflict(store::CommitCallback done) {
  return [done = std::move(done)](Result<store::CommitOutcome> outcome) mutable {
    const bool is_conflict =
        outcome.has_value() && std::holds_alternative<store::Conflict>(*outcome);
    done(is_conflict ? Fail(NotCarriedOut()) : std::move(outcome));
  };
}

}  // namespace

WriteSequence::WriteSequence(store::Store& store) : store_(store), state_(store.Read()) {}

WriteSequence::~WriteSequence() {
  Refuse();
}

void WriteSequence::Add(store::Txn txn, store::CommitCallback done) {
  const auto holds = [&](const store::Compare& compare) { return Holds(compare, *state_); };
  if (!std::ranges::all_of(txn.compares, holds)) return done(Fail(NotCarriedOut()));
  // Drop compares with keys that an earlier step writes: they were checked against state_, and the
  // revision that the store will give to those keys is not known yet.
  std::erase_if(txn.compares, [&](const store::Compare& compare) {
    return std::ranges::any_of(
        steps_, [&](const store::Step& step) { return Writes(step.txn, compare.key); });
  });
  store::Change change = store::ChangeBy(state_, txn.operations);
  steps_.push_back({.txn = std::move(txn), .done = WithoutConflict(std::move(done))});
  state_ = std::move(change.next);
  Skip();
}

void WriteSequence::Skip() {
  // The function may destroy the sequence, so no member is used afterwards.
  if (auto next = std::exchange(next_, nullptr)) next();
}

void WriteSequence::CarryOut() {
  store_.CommitSteps(std::exchange(steps_, {}));
}

void WriteSequence::Refuse() {
  next_ = nullptr;
  for (store::Step& step : std::exchange(steps_, {})) step.done(Fail(NotCarriedOut()));
}

}  // namespace dray::server::storage
