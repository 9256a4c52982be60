// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/committer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/history.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/sqlite/commit_queue.h"
#include "store/sqlite/database.h"
#include "store/sqlite/log_row.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/upkeep.h"
#include "store/store.h"
#include "store/subscriptions.h"

namespace dray::store::sqlite {
namespace {

/// While somebody waits, upkeep keeps pace with commits, which make at most two rows superfluous
/// for each change (a deletion: its own and the one before it), each perhaps alone on its page.
constexpr size_t kWorkPerChange = 2 * Upkeep::kWorkPerPage;

const Change* ChangeOf(const Result<std::variant<Change, Conflict>>& outcome) {
  if (!outcome.has_value()) return nullptr;
  const Change* change = std::get_if<Change>(&*outcome);
  return change != nullptr && !change->events.empty() ? change : nullptr;
}

LogRow RowOf(const Event& event, int64_t ordinal, std::string_view bytes) {
  const Record& record = *event.record;
  LogRow row{.position = FirstPosition(record.modified) + ordinal,
             .key = record.key(),
             .value = std::nullopt,
             .created = record.created,
             .version = record.version(),
             .expiry = record.expiry(),
             .replaced = event.previous == nullptr ? kAbsent : event.previous->modified};
  if (event.type == Event::Type::kPut) row.value = bytes;
  return row;
}

}  // namespace

Committer::Committer(const Dependencies& dependencies,
                     std::unique_ptr<Database> database,
                     RowWriter writer,
                     std::unique_ptr<Upkeep> upkeep)
    : deps_(dependencies),
      database_(std::move(database)),
      writer_(std::move(writer)),
      upkeep_(std::move(upkeep)),
      sequencer_(std::make_unique<Sequencer>(dependencies.options, dependencies.history.newest())),
      checkpoint_at_(dependencies.sqlite_options.checkpoint_pages) {
  PublishNumbers();
}

Result<std::unique_ptr<Committer>> Committer::Make(const Dependencies& dependencies,
                                                   std::unique_ptr<Database> database,
                                                   const Recovered& recovered) {
  DRAY_TRY(RowWriter writer, RowWriter::Prepare(*database));
  DRAY_TRY(std::unique_ptr<Upkeep> upkeep,
           Upkeep::Make(*database,
                        dependencies.sqlite_options,
                        recovered.meta,
                        recovered.unfolded,
                        recovered.newest->revision()));
  return std::unique_ptr<Committer>(
      new Committer(dependencies, std::move(database), std::move(writer), std::move(upkeep)));
}

void Committer::Run() {
  while (!deps_.queue.is_drained()) {
    const bool has_upkeep = !stopped_ && upkeep_->has_work();
    std::vector<Request> batch =
        deps_.queue.Take(has_upkeep ? CommitQueue::Wait::kNever : CommitQueue::Wait::kForWork);
    const size_t count = batch.size();
    if (count > 0) CommitBatch(std::move(batch));
    if (!stopped_) DoCheckpoint();
    if (!stopped_) DoUpkeep(count);
  }
}

void Committer::ForceFloor(Revision floor) {
  int64_t before = forced_floor_.load();
  while (before < floor.value() && !forced_floor_.compare_exchange_weak(before, floor.value())) {
  }
  deps_.queue.Wake();
}

std::vector<Committer::Sequenced> Committer::SequenceAll(std::vector<Request> batch) {
  std::vector<Sequenced> judged;
  judged.reserve(batch.size());
  const Revision durable = sequencer_->pending()->revision();
  for (Request& request : batch) {
    const bool on_durable = sequencer_->pending()->revision() == durable;
    const auto judge = [&]() -> Outcome {
      if (const Txn* txn = std::get_if<Txn>(&request.what)) return sequencer_->Accept(*txn);
      const auto& expire = std::get<Expire>(request.what);
      request.what = sequencer_->DueBy(expire.now, expire.max);
      return sequencer_->Accept(std::get<Txn>(request.what));
    };
    Outcome outcome = judge();
    judged.push_back({std::move(request), std::move(outcome), on_durable});
  }
  return judged;
}

void Committer::CommitBatch(std::vector<Request> batch) {
  if (stopped_) {
    const std::string failure = numbers().failure;
    for (Request& request : batch) {
      request.done(Fail(StatusReason::kServiceUnavailable, failure));
    }
    return;
  }
  std::vector<Sequenced> judged = SequenceAll(std::move(batch));
  Error error;
  const Fate fate = Write(judged, error);
  if (fate == Fate::kDurable) {
    Publish(judged);
    Answer(judged);
    return;
  }
  // Nothing pending will ever be seen: on from what is.
  sequencer_ = std::make_unique<Sequencer>(deps_.options, deps_.history.newest());
  if (fate == Fate::kUnknown || database_->last_failure() == Failure::kOther) Stop(error);
  AnswerFailed(judged, fate, error);
}

Committer::Fate Committer::Write(const std::vector<Sequenced>& batch, Error& error) {
  const auto changes = [](const Sequenced& one) { return ChangeOf(one.outcome) != nullptr; };
  if (std::ranges::none_of(batch, changes)) return Fate::kDurable;
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction.has_value()) {
    error = std::move(transaction).error();
    return Fate::kNothingWritten;
  }
  if (Result<> written = WriteRows(batch); !written.has_value()) {
    error = std::move(written).error();
    return Fate::kNothingWritten;
  }
  Result<> committed = transaction->Commit();
  if (committed.has_value()) return Fate::kDurable;
  error = std::move(committed).error();
  // Without room the last page, which makes the others count, was not written.
  return database_->last_failure() == Failure::kOther ? Fate::kUnknown : Fate::kNothingWritten;
}

Result<> Committer::WriteRows(const std::vector<Sequenced>& batch) {
  for (const Sequenced& one : batch) {
    const Change* change = ChangeOf(one.outcome);
    if (change == nullptr) continue;
    const auto& records = change->committed.records;  // one for each operation
    size_t next = 0;                                  // event: the absent deleted have none
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i] == nullptr) continue;
      const std::string_view bytes = i < one.request.bytes.size() ? one.request.bytes[i] : "";
      const auto ordinal = static_cast<int64_t>(next);
      DRAY_TRY_VOID(writer_.Write(RowOf(*change->events[next], ordinal, bytes)));
      ++next;
    }
  }
  return {};
}

void Committer::Publish(std::vector<Sequenced>& batch) {
  for (const Sequenced& one : batch) {
    const Change* change = ChangeOf(one.outcome);
    if (change == nullptr) continue;
    deps_.history.Publish(*change);
    upkeep_->Note(*change);
  }
  PublishNumbers();
  deps_.subscriptions.Announce(deps_.history.newest_event());
}

void Committer::Answer(std::vector<Sequenced>& batch) {
  for (Sequenced& one : batch) {
    if (!one.outcome.has_value()) {
      one.request.done(Fail(std::move(one.outcome).error()));
    } else if (auto* conflict = std::get_if<Conflict>(&*one.outcome)) {
      one.request.done(CommitOutcome(std::move(*conflict)));
    } else {
      one.request.done(CommitOutcome(std::move(std::get<Change>(*one.outcome).committed)));
    }
  }
}

void Committer::AnswerFailed(std::vector<Sequenced>& batch, Fate fate, const Error& error) {
  for (Sequenced& one : batch) {
    const bool changes = ChangeOf(one.outcome) != nullptr;
    if (changes && fate == Fate::kUnknown) {
      one.request.done(Fail(
          StatusReason::kTimeout,
          fmt::format("it is not known whether this was committed: {}. Read again when the store "
                      "has been opened anew, and compare",
                      error.message)));
    } else if (changes || !one.on_durable) {
      one.request.done(Fail(StatusReason::kServiceUnavailable, error.message));
    } else {
      std::vector<Sequenced> alone;
      alone.push_back(std::move(one));
      Answer(alone);
    }
  }
}

void Committer::DoUpkeep(size_t changes) {
  Status status;
  deps_.history.AddTo(status);
  upkeep_->SetFloor(status.floor);
  if (const int64_t forced = forced_floor_.exchange(0); forced > 0) {
    upkeep_->Force(Revision{forced});
  }
  const size_t step = deps_.sqlite_options.upkeep_work;
  upkeep_owed_ = changes == 0 ? step : upkeep_owed_ + changes * kWorkPerChange;
  if (upkeep_owed_ < step) return;
  const Result<> done = upkeep_->Step(std::exchange(upkeep_owed_, 0));
  if (!done.has_value()) NoteUpkeepError(done.error());
}

void Committer::DoCheckpoint() {
  if (database_->log_pages() < checkpoint_at_) return;
  const int pages = database_->log_pages();
  const Result<Database::Copied> copied =
      database_->RunCheckpoint(Database::Checkpoint::kWhatCanBe);
  if (!copied.has_value()) NoteUpkeepError(copied.error());
  // What a reader of the file (a backup) still needs stays in the log, which goes on growing.
  const bool starts_anew = copied.has_value() && copied->all;
  checkpoint_at_ = deps_.sqlite_options.checkpoint_pages + (starts_anew ? 0 : pages);
}

void Committer::NoteUpkeepError(const Error& error) {
  if (database_->last_failure() == Failure::kOther) Stop(error);
}

void Committer::Stop(const Error& error) {
  stopped_ = true;
  database_->LeaveLogBehind();
  const MutexLock lock(mutex_);
  numbers_.failure = fmt::format(
      "the store takes no more writes, what it has can be read: {}. Repair the cause and start "
      "again on the same folder: all that was acknowledged is there",
      error.message);
}

void Committer::PublishNumbers() {
  const MutexLock lock(mutex_);
  numbers_.live_bytes = sequencer_->live_bytes();
  numbers_.next_expiry = sequencer_->next_expiry();
}

Committer::Numbers Committer::numbers() const {
  const MutexLock lock(mutex_);
  return numbers_;
}

}  // namespace dray::store::sqlite
