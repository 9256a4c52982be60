// SPDX-License-Identifier: Apache-2.0
#include "store/sequencer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/frozen.h"
#include "base/out_of_memory.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store {
namespace {

std::string_view KeyOf(const Operation& operation) {
  return std::visit([](const auto& one) { return std::string_view(one.key); }, operation);
}

Result<> CheckKey(std::string_view key) {
  if (key.empty()) return Fail(StatusReason::kBadRequest, "a key of the transaction is empty");
  if (key.size() <= kKeyBytesMax) return {};
  return Fail(StatusReason::kRequestEntityTooLarge,
              fmt::format("a key of {} bytes exceeds the limit of {}", key.size(), kKeyBytesMax));
}

Result<> CheckValue(const Put& put) {
  if (put.value == nullptr) {
    return Fail(StatusReason::kBadRequest, fmt::format("the put of {} has no value", put.key));
  }
  if (put.value->size() <= kValueBytesMax) return {};
  return Fail(StatusReason::kRequestEntityTooLarge,
              fmt::format("the value of {} has {} bytes, the limit is {}",
                          put.key,
                          put.value->size(),
                          kValueBytesMax));
}

Result<> CheckCount(size_t count, std::string_view of_what) {
  if (count <= kTxnOperationsMax) return {};
  return Fail(
      StatusReason::kRequestEntityTooLarge,
      fmt::format(
          "a transaction of {} {} exceeds the limit of {}", count, of_what, kTxnOperationsMax));
}

Result<> CheckDistinct(const std::vector<Operation>& operations) {
  std::vector<std::string_view> keys;
  keys.reserve(operations.size());
  std::ranges::transform(operations, std::back_inserter(keys), KeyOf);
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys);
  if (twice == keys.end()) return {};
  return Fail(StatusReason::kBadRequest,
              fmt::format("two operations of the transaction name {}", *twice));
}

Event PutEvent(const Put& put, const Frozen<Record>& previous, Revision revision) {
  Frozen<Record> record = MakeRecord({
      .key = put.key,
      .value = put.value,
      .created = previous == nullptr ? revision : previous->created,
      .modified = revision,
      .version = previous == nullptr ? 1 : previous->version() + 1,
      .expiry = put.expiry,
  });
  return {.type = Event::Type::kPut, .record = std::move(record), .previous = previous};
}

Event DeleteEvent(const Frozen<Record>& previous, Revision revision) {
  RecordFields last = previous->fields();
  last.modified = revision;
  return {
      .type = Event::Type::kDelete, .record = MakeRecord(std::move(last)), .previous = previous};
  // clang's analyser does not see that a record's allocator frees its memory.
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

/// The event of `operation` at `revision`; null for the deletion of an absent key.
Frozen<Event> EventOf(const Operation& operation, const Snapshot& before, Revision revision) {
  const Frozen<Record> previous = before.Get(KeyOf(operation));
  if (const Put* put = std::get_if<Put>(&operation)) {
    return std::make_shared<const Event>(PutEvent(*put, previous, revision));
  }
  if (previous == nullptr) return nullptr;
  return std::make_shared<const Event>(DeleteEvent(previous, revision));
}

/// The outcome of a step when another step was refused, or could not be judged for lack of memory.
Sequencer::Outcome NotAlone() {
  Error error = OutOfMemory();
  error.reason = StatusReason::kConflict;
  (void)RanOutOfMemory([&] { error.message = "another step is not carried out"; });
  return Fail(std::move(error));
}

size_t SizeOf(const Record& record) {
  return record.key().size() + record.value->size();
}

}  // namespace

Change ChangeBy(const Frozen<Snapshot>& before, const std::vector<Operation>& operations) {
  const Revision revision(before->revision().value() + 1);
  Change change{.next = before, .events = {}, .committed = {before->revision(), {}}};
  Tree tree = before->tree();
  for (const Operation& operation : operations) {
    Frozen<Event> event = EventOf(operation, *before, revision);
    change.committed.records.push_back(event == nullptr ? nullptr : event->record);
    if (event == nullptr) continue;
    tree = event->type == Event::Type::kPut ? tree.Put(event->record)
                                            : tree.Erase(event->record->key());
    change.events.push_back(std::move(event));
  }
  if (change.events.empty()) return change;
  change.committed.revision = revision;
  change.next = std::make_shared<const Snapshot>(revision, std::move(tree));
  return change;
}

Result<> CheckTxn(const Txn& txn) {
  DRAY_TRY_VOID(CheckCount(txn.operations.size() + txn.fences.size(), "operations"));
  DRAY_TRY_VOID(CheckCount(txn.compares.size() + txn.fences.size(), "compares"));
  for (const Compare& compare : txn.compares) DRAY_TRY_VOID(CheckKey(compare.key));
  for (const Operation& operation : txn.operations) {
    DRAY_TRY_VOID(CheckKey(KeyOf(operation)));
    if (const Put* put = std::get_if<Put>(&operation)) DRAY_TRY_VOID(CheckValue(*put));
  }
  return CheckDistinct(txn.operations);
}

Sequencer::Sequencer(const Options& options, const Frozen<Snapshot>& first)
    : live_bytes_max_(options.live_bytes_max), fences_(kFenceSlots, kAbsent) {
  Restart(first);
}

void Sequencer::Restart(const Frozen<Snapshot>& from) {
  size_t live_bytes = 0;
  Due due;
  for (const Record& record : from->Range({})) {
    live_bytes += SizeOf(record);
    if (const auto expiry = record.expiry()) due.emplace(*expiry, record.key());
  }
  for (Revision& fence : fences_) fence = std::min(fence, from->revision());
  live_bytes_ = live_bytes;
  due_.swap(due);
  pending_ = from;
}

std::optional<Conflict> Sequencer::FindConflict(const Txn& txn) const {
  Conflict conflict{.revision = pending_->revision(), .mismatches = {}};
  for (const Compare& compare : txn.compares) {
    const Record* current = pending_->Find(compare.key);
    const Revision modified = current == nullptr ? kAbsent : current->modified;
    if (modified == compare.modified) continue;
    conflict.mismatches.push_back({.key = compare.key, .current = pending_->Get(compare.key)});
  }
  if (!conflict.mismatches.empty()) return conflict;
  conflict.fenced = std::ranges::any_of(txn.fences, [this](const Fence& fence) {
    return fences_[FenceSlot(fence.name)] > fence.seen;
  });
  if (!conflict.fenced) return std::nullopt;
  return conflict;
}

Result<std::variant<Sequencer::Judged, Conflict>> Sequencer::Judge(const Txn& txn) const {
  if (std::optional<Conflict> conflict = FindConflict(txn)) return *std::move(conflict);
  Judged judged;
  judged.change = ChangeBy(pending_, txn.operations);
  size_t added = 0;
  size_t removed = 0;
  for (const Frozen<Event>& event : judged.change.events) {
    if (event->type == Event::Type::kPut) added += SizeOf(*event->record);
    if (event->previous != nullptr) removed += SizeOf(*event->previous);
  }
  if (added > removed && live_bytes_ + added - removed > live_bytes_max_) {
    return Fail(StatusReason::kTooManyRequests,
                fmt::format("the store holds {} bytes and may hold {}: delete something first",
                            live_bytes_,
                            live_bytes_max_));
  }
  judged.live_bytes_ = live_bytes_ + added - removed;
  for (const Frozen<Event>& event : judged.change.events) NoteExpiry(*event, judged);
  return judged;
}

void Sequencer::NoteExpiry(const Event& event, Judged& judged) const {
  const Record& record = *event.record;
  if (event.previous != nullptr) {
    const std::optional<WallTime> expiry = event.previous->expiry();
    if (expiry.has_value()) {
      judged.no_longer_due_.push_back(due_.find({*expiry, std::string(record.key())}));
    }
  }
  if (event.type != Event::Type::kPut) return;
  if (const auto expiry = record.expiry()) judged.due_.emplace(*expiry, record.key());
}

void Sequencer::Apply(const Txn& txn, Judged& judged) noexcept {
  live_bytes_ = judged.live_bytes_;
  for (const Due::const_iterator gone : judged.no_longer_due_) due_.erase(gone);
  due_.merge(judged.due_);
  pending_ = judged.change.next;
  for (const Fence& fence : txn.fences) fences_[FenceSlot(fence.name)] = pending_->revision();
}

Sequencer::Outcome Sequencer::Accept(const Txn& txn) {
  DRAY_TRY(auto outcome, Judge(txn));
  if (auto* conflict = std::get_if<Conflict>(&outcome)) return std::move(*conflict);
  auto& judged = std::get<Judged>(outcome);
  Apply(txn, judged);
  return std::move(judged.change);
}

bool Sequencer::MayAccept(std::span<const Txn* const> steps, std::span<Outcome> outcomes) const {
  std::vector<size_t> slots;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (std::optional<Conflict> conflict = FindConflict(*steps[i])) {
      outcomes[i] = *std::move(conflict);
      return false;
    }
    for (const Fence& fence : steps[i]->fences) slots.push_back(FenceSlot(fence.name));
    // Two steps must not share a fence slot, because no step has seen what the others do.
    std::ranges::sort(slots);
    if (std::ranges::adjacent_find(slots) == slots.end()) continue;
    outcomes[i] = Conflict{.revision = pending_->revision(), .mismatches = {}, .fenced = true};
    return false;
  }
  return true;
}

bool Sequencer::AcceptEach(std::span<const Txn* const> steps, std::span<Outcome> outcomes) {
  for (size_t i = 0; i < steps.size(); ++i) {
    auto judged = Judge(*steps[i]);
    if (!judged.has_value()) {
      outcomes[i] = std::move(judged).failure();
      return false;
    }
    auto* fits = std::get_if<Judged>(&*judged);
    if (fits == nullptr || !fits->no_longer_due_.empty() || !fits->due_.empty()) {
      outcomes[i] = Fail(StatusReason::kBadRequest,
                         "a step has to do with what expires, or compares what another one writes");
      return false;
    }
    Apply(*steps[i], *fits);
    outcomes[i] = std::move(fits->change);
  }
  return true;
}

std::vector<Sequencer::Outcome> Sequencer::AcceptSteps(std::span<const Txn* const> steps) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(steps.size());
  while (outcomes.size() < steps.size()) outcomes.emplace_back(NotAlone());
  const Frozen<Snapshot> before = pending_;
  const size_t live_bytes = live_bytes_;
  bool accepted = false;
  const bool ran_out =
      RanOutOfMemory([&] { accepted = MayAccept(steps, outcomes) && AcceptEach(steps, outcomes); });
  if (accepted) return outcomes;
  pending_ = before;
  live_bytes_ = live_bytes;
  for (const Txn* step : steps) {
    for (const Fence& fence : step->fences) {
      Revision& last = fences_[FenceSlot(fence.name)];
      last = std::min(last, before->revision());
    }
  }
  for (Outcome& outcome : outcomes) {
    if (outcome.has_value() && std::holds_alternative<Change>(*outcome)) outcome = NotAlone();
  }
  if (ran_out) outcomes.front() = Fail(OutOfMemory());
  return outcomes;
}

Txn Sequencer::DueBy(WallTime now, size_t max) const {
  Txn txn;
  const size_t operations_max = std::min(max, kTxnOperationsMax);
  for (const auto& [expiry, key] : due_) {
    if (expiry > now || txn.operations.size() == operations_max) break;
    txn.operations.emplace_back(Delete{.key = key});
  }
  return txn;
}

std::optional<WallTime> Sequencer::next_expiry() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

}  // namespace dray::store
