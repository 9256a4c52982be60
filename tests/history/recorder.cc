// SPDX-License-Identifier: Apache-2.0
#include "tests/history/recorder.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <variant>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "tests/history/history.h"
#include "tests/history/history_text.h"

namespace dray::history {
namespace {

Write WriteOf(const store::Txn& txn) {
  Write write;
  for (const store::Compare& compare : txn.compares)
    write.conditions.push_back({.key = compare.key, .modified = compare.modified});
  for (const store::Operation& operation : txn.operations) {
    if (const auto* put = std::get_if<store::Put>(&operation)) {
      write.changes.push_back({.key = put->key,
                               .value = std::string(put->value->bytes()),
                               .may_expire = put->expiry.has_value()});
    } else {
      write.changes.push_back(
          {.key = std::get<store::Delete>(operation).key, .value = std::nullopt});
    }
  }
  return write;
}

Answer AnswerOf(const Error& error) {
  if (error.reason == StatusReason::kTimeout) return Unknown{.reason = error.message};
  return Failed{.reason = error.message.empty() ? "error" : error.message};
}

Answer AnswerOf(const store::CommitOutcome& outcome) {
  if (const auto* committed = std::get_if<store::Committed>(&outcome)) {
    Done done{.revision = committed->revision, .items = {}};
    for (const Frozen<store::Record>& record : committed->records) {
      done.items.push_back(record == nullptr ? std::nullopt : std::optional(ItemOf(*record)));
    }
    return done;
  }
  const auto& conflict = std::get<store::Conflict>(outcome);
  Refused refused{.revision = conflict.revision, .mismatches = {}};
  for (const store::Conflict::Mismatch& mismatch : conflict.mismatches) {
    Refused::Mismatch reported{.key = mismatch.key, .current = std::nullopt};
    if (mismatch.current != nullptr) reported.current = ItemOf(*mismatch.current);
    refused.mismatches.push_back(std::move(reported));
  }
  return refused;
}

Seen Look(const Get& get, const store::Snapshot& snapshot) {
  Seen seen{.revision = snapshot.revision(), .items = {}, .count = {}};
  if (const store::Record* record = snapshot.Find(get.key)) seen.items.push_back(ItemOf(*record));
  return seen;
}

Seen Look(const List& list, const store::Snapshot& snapshot) {
  const store::KeyRange keys{.prefix = list.prefix, .start_key = list.start_key};
  const size_t limit = list.limit == 0 ? std::numeric_limits<size_t>::max() : list.limit;
  Seen seen{.revision = snapshot.revision(), .items = {}, .count = snapshot.Count(keys)};
  for (const store::Record& record : snapshot.Range(keys, limit))
    seen.items.push_back(ItemOf(record));
  return seen;
}

Event EventOf(const store::Event& event) {
  Event reported{.kind = Event::Kind::kDeleted, .item = ItemOf(*event.record), .previous = {}};
  if (event.type == store::Event::Type::kPut)
    reported.kind = event.previous == nullptr ? Event::Kind::kCreated : Event::Kind::kUpdated;
  if (event.previous != nullptr) reported.previous = ItemOf(*event.previous);
  return reported;
}

}  // namespace

Item ItemOf(const store::Record& record) {
  return {.key = std::string(record.key()),
          .value = std::string(record.value->bytes()),
          .created = record.created,
          .modified = record.modified,
          .version = record.version()};
}

void Recorder::Write(const std::string& line) {
  log_(line);
}

void Recorder::Called(const Operation& operation) {
  const MutexLock lock(mutex_);
  if (log_) return Write(CallText(operation));
  history_.operations.push_back(operation);
}

void Recorder::Returned(const Operation& operation) {
  ++answered_;
  const MutexLock lock(mutex_);
  if (log_) return Write(AnswerText(operation));
  // The call is among the last ones, with no more calls after it than there are clients.
  auto latest_first = history_.operations | std::views::reverse;
  *std::ranges::find(latest_first, operation.called, &Operation::called) = operation;
}

void Recorder::Opened(const Watch& watch) {
  const MutexLock lock(mutex_);
  if (log_) return Write(WatchText(watch));
  history_.watches.push_back(watch);
}

void Recorder::Received(const Watch& watch, const Response& response) {
  const MutexLock lock(mutex_);
  if (log_) return Write(ResponseText(watch, response));
  auto latest_first = history_.watches | std::views::reverse;
  std::ranges::find(latest_first, watch.opened, &Watch::opened)->responses.push_back(response);
}

void Recorder::Resume(History history) {
  const MutexLock lock(mutex_);
  history_ = std::move(history);
}

History Recorder::Take() {
  const MutexLock lock(mutex_);
  return std::exchange(history_, {});
}

Operation RecordedClient::Begin(Request request) {
  Operation operation{.called = recorder_.Now(),
                      .client = identity_.client,
                      .server = identity_.server,
                      .request = std::move(request),
                      .answer = Unknown{.reason = "no answer"}};
  recorder_.Called(operation);
  return operation;
}

Result<Frozen<store::Snapshot>> RecordedClient::SnapshotFor(Freshness freshness, Revision at) {
  if (freshness == Freshness::kExact) return store_.ReadAt(at);
  if (freshness == Freshness::kLinearizable) {
    std::promise<Result<Revision>> answer;
    std::future<Result<Revision>> synced = answer.get_future();
    store_.Sync([answer = std::move(answer)](Result<Revision> result) mutable {
      answer.set_value(std::move(result));
    });
    DRAY_TRY_VOID(synced.get());
  }
  return store_.Read();
}

template <class Asked>
Result<Seen> RecordedClient::ReadAs(const Asked& asked) {
  Operation operation = Begin(asked);
  const Result<Frozen<store::Snapshot>> snapshot = SnapshotFor(asked.freshness, asked.at);
  if (!snapshot.has_value()) {
    operation.answer = Failed{.reason = snapshot.error().message};
  } else {
    operation.answer = Look(asked, **snapshot);
  }
  operation.returned = recorder_.Now();
  recorder_.Returned(operation);
  if (!snapshot.has_value()) return Fail(snapshot.error());
  return std::get<Seen>(std::move(operation.answer));
}

Result<Seen> RecordedClient::Read(const Get& get) {
  return ReadAs(get);
}

Result<Seen> RecordedClient::Read(const List& list) {
  return ReadAs(list);
}

Result<store::CommitOutcome> RecordedClient::Commit(store::Txn txn) {
  Operation operation = Begin(WriteOf(txn));
  Result<store::CommitOutcome> outcome = store_.CommitAndWait(std::move(txn));
  operation.answer = outcome.has_value() ? AnswerOf(*outcome) : AnswerOf(outcome.error());
  operation.returned = recorder_.Now();
  recorder_.Returned(operation);
  return outcome;
}

void RecordedClient::Abandon(store::Txn txn, std::move_only_function<void()> done) {
  Begin(WriteOf(txn));
  store_.Commit(std::move(txn),
                [done = std::move(done)](const Result<store::CommitOutcome>&) mutable { done(); });
}

RecordedWatch::RecordedWatch(Recorder& recorder,
                             const store::Store& store,
                             Identity identity,
                             std::string prefix,
                             Revision after)
    : recorder_(recorder), store_(store), through_(after), last_event_(after) {
  watch_ = {.opened = recorder.Now(),
            .client = identity.client,
            .server = identity.server,
            .prefix = std::move(prefix),
            .after = after,
            .shows_previous = true,
            .responses = {}};
  recorder_.Opened(watch_);
}

Result<store::Batch> RecordedWatch::Next(size_t max) {
  Result<store::Batch> batch = store_.EventsAfter(through_, watch_.prefix, max);
  Response response;
  if (!batch.has_value()) {
    response.error = batch.error().message.empty() ? "error" : batch.error().message;
  } else {
    if (batch->events.empty() && batch->through == through_) return batch;
    response.through = batch->through;
    for (const Frozen<store::Event>& event : batch->events) {
      response.events.push_back(EventOf(*event));
      last_event_ = std::max(last_event_, event->revision());
    }
    through_ = batch->through;
  }
  response.received = recorder_.Now();
  recorder_.Received(watch_, response);
  return batch;
}

}  // namespace dray::history
