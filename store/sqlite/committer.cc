// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/committer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
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
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/thread_urgency.h"
#include "base/try.h"
#include "store/history.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/sqlite/answered.h"
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

/// While commits wait, upkeep keeps pace with them. Commits make at most two rows superfluous
/// for each change (a deletion: its own and the one before it), each perhaps alone on its page.
constexpr size_t kWorkPerChange = 2 * Upkeep::kWorkPerPage;

constexpr std::string_view kNoMemory = "out of memory";

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

/// `error` for one more request; without its text if there is no memory for that.
Error Repeat(const Error& error) {
  Error again = OutOfMemory();
  again.reason = error.reason;
  if (RanOutOfMemory([&] { again.message = error.message; })) return again;
  return again;
}

/// The error of those whose change may be on the disk.
Error UnknownOutcome(const Error& error) {
  Error unknown = OutOfMemory();
  unknown.reason = StatusReason::kTimeout;
  const auto explain = [&] {
    unknown.message = fmt::format(
        "it is not known whether this was committed: {}. Read again when the store "
        "has been opened anew, and compare",
        error.message);
  };
  if (RanOutOfMemory(explain)) return unknown;
  return unknown;
}

/// If the callback throws bad_alloc, its own work is dropped: the other requests are still
/// answered.
void Report(Request& request, Result<CommitOutcome> outcome) {
  if (RanOutOfMemory([&] { request.done(std::move(outcome)); })) return;
}

}  // namespace

Committer::Committer(const Dependencies& dependencies,
                     AnsweredWriter answered,
                     std::unique_ptr<Database> database,
                     RowWriter writer,
                     std::unique_ptr<Upkeep> upkeep)
    : deps_(dependencies),
      answered_(std::move(answered)),
      database_(std::move(database)),
      writer_(std::move(writer)),
      upkeep_(std::move(upkeep)),
      sequencer_(dependencies.options, dependencies.history.newest()),
      checkpoint_at_(dependencies.sqlite_options.checkpoint_pages) {
  PublishNumbers();
}

Result<std::unique_ptr<Committer>> Committer::Make(const Dependencies& dependencies,
                                                   AnsweredWriter answered,
                                                   std::unique_ptr<Database> database,
                                                   const Recovered& recovered) {
  DRAY_TRY(RowWriter writer, RowWriter::Prepare(*database));
  DRAY_TRY(std::unique_ptr<Upkeep> upkeep,
           Upkeep::Make(*database,
                        dependencies.sqlite_options,
                        recovered.meta,
                        recovered.unfolded,
                        recovered.newest->revision()));
  return std::unique_ptr<Committer>(new Committer(dependencies,
                                                  std::move(answered),
                                                  std::move(database),
                                                  std::move(writer),
                                                  std::move(upkeep)));
}

void Committer::Run() {
  GoSoonAfterWaking();
  while (!deps_.queue.is_drained()) {
    std::vector<Request> batch = TakeBatch();
    const size_t count = batch.size();
    if (count > 0) CommitBatch(std::move(batch));
    if (stopped_) continue;
    if (RanOutOfMemory([&] { DoCheckpoint(count == 0); })) continue;  // it is tried again
    if (!stopped_ && RanOutOfMemory([&] { DoUpkeep(count); })) Stop(kNoMemory);
  }
}

std::vector<Request> Committer::TakeBatch() {
  std::vector<Request> batch;
  const auto take = [&] {
    CommitQueue::Wait wait = CommitQueue::Wait::kForWork;
    if (!stopped_ && upkeep_->has_work()) wait = CommitQueue::Wait::kNever;
    if (!stopped_ && has_checkpoint()) wait = CommitQueue::Wait::kForAMoment;
    batch = deps_.queue.Take(wait);
  };
  if (!RanOutOfMemory(take)) return batch;
  std::optional<Request> next = deps_.queue.TakeOne();
  while (next.has_value()) {  // with all its steps
    Report(*next, Fail(OutOfMemory()));
    next = next->steps_after > 0 ? deps_.queue.TakeOne() : std::nullopt;
  }
  return {};
}

void Committer::ForceFloor(Revision floor) {
  int64_t before = forced_floor_.load();
  while (before < floor.value() && !forced_floor_.compare_exchange_weak(before, floor.value())) {
  }
  deps_.queue.Wake();
}

Committer::Outcome Committer::Judge(Request& request) {
  std::optional<Outcome> outcome;
  const auto judge = [&] {
    if (const auto* expire = std::get_if<Expire>(&request.what)) {
      request.what = sequencer_.DueBy(expire->now, expire->max);
    }
    outcome = sequencer_.Accept(std::get<Txn>(request.what));
  };
  if (RanOutOfMemory(judge)) return Fail(OutOfMemory());  // it alone
  return *std::move(outcome);
}

void Committer::SequenceAll(std::vector<Request>& batch, std::vector<Sequenced>& judged) {
  judged.reserve(batch.size());
  const Revision durable = sequencer_.pending()->revision();
  for (size_t i = 0; i < batch.size(); ++i) {
    const bool on_durable = sequencer_.pending()->revision() == durable;
    if (batch[i].steps_after == 0) {
      Outcome outcome = Judge(batch[i]);
      judged.push_back({std::move(batch[i]), std::move(outcome), on_durable});
      continue;
    }
    const std::span<Request> steps = std::span(batch).subspan(i, batch[i].steps_after + 1);
    std::vector<Outcome> outcomes = JudgeSteps(steps);
    for (size_t step = 0; step < steps.size(); ++step) {
      Outcome outcome = Fail(OutOfMemory());
      if (!outcomes.empty()) outcome = std::move(outcomes[step]);
      judged.push_back({std::move(steps[step]), std::move(outcome), on_durable});
    }
    i += steps.size() - 1;
  }
}

/// None, for want of memory: then nothing has changed.
std::vector<Committer::Outcome> Committer::JudgeSteps(std::span<const Request> steps) {
  std::vector<Outcome> outcomes;
  const auto judge = [&] {
    std::vector<const Txn*> txns;
    for (const Request& step : steps) txns.push_back(&std::get<Txn>(step.what));
    outcomes = sequencer_.AcceptSteps(txns);
  };
  if (RanOutOfMemory(judge)) return {};
  return outcomes;
}

void Committer::CommitBatch(std::vector<Request> batch) {
  if (stopped_) {
    Error stopped = OutOfMemory();
    if (RanOutOfMemory([&] { stopped.message = numbers().failure; })) stopped = OutOfMemory();
    return Refuse(batch, stopped);
  }
  std::vector<Sequenced> judged;
  if (RanOutOfMemory([&] { SequenceAll(batch, judged); })) return Refuse(batch, OutOfMemory());
  Error error;
  const Fate fate = Write(judged, error);
  if (fate == Fate::kDurable) {
    answered_.Note(sequencer_.pending()->revision());
    const std::span<Sequenced> all(judged);
    const size_t shown = Publish(judged);
    Answer(all.first(shown));
    return AnswerFailed(all.subspan(shown), Fate::kUnknown, OutOfMemory());
  }
  if (fate == Fate::kUnknown || database_->last_failure() == FailureKind::kOther) {
    Stop(error.message);
  }
  // Nothing pending will ever be seen: on from what is.
  if (RanOutOfMemory([this] { sequencer_.Restart(deps_.history.newest()); })) Stop(kNoMemory);
  AnswerFailed(judged, fate, error);
}

Committer::Fate Committer::Write(std::span<const Sequenced> batch, Error& error) {
  Fate fate = Fate::kNothingWritten;
  database_->ForgetFailure();
  const auto write = [&] {
    Result<> written = TryToWrite(batch, fate);
    if (!written.has_value()) error = std::move(written).error();
  };
  if (RanOutOfMemory(write)) error = OutOfMemory();
  return fate;
}

/// `fate` is always what is known so far.
Result<> Committer::TryToWrite(std::span<const Sequenced> batch, Fate& fate) {
  const auto changes = [](const Sequenced& one) { return ChangeOf(one.outcome) != nullptr; };
  if (std::ranges::none_of(batch, changes)) {
    fate = Fate::kDurable;
    return {};
  }
  DRAY_TRY(Transaction transaction, Transaction::Begin(*database_));
  database_->LengthenLog();
  DRAY_TRY_VOID(WriteRows(batch));
  fate = Fate::kUnknown;
  Result<> committed = transaction.Commit();
  if (committed.has_value()) {
    fate = Fate::kDurable;
  } else if (database_->last_failure() == FailureKind::kNoSpace ||
             database_->last_failure() == FailureKind::kBusy) {
    // Without room the last page, which makes the others count, was not written.
    fate = Fate::kNothingWritten;
  }
  return committed;
}

Result<> Committer::WriteRows(std::span<const Sequenced> batch) {
  for (const Sequenced& one : batch) {
    const Change* change = ChangeOf(one.outcome);
    if (change == nullptr) continue;
    const auto& records = change->committed.records;  // one for each operation
    size_t next = 0;                                  // event: the absent deleted have none
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i] == nullptr) continue;
      const std::string_view bytes =
          i < one.request.bytes.size() ? std::string_view(one.request.bytes[i]) : "";
      const auto ordinal = static_cast<int64_t>(next);
      DRAY_TRY_VOID(writer_.Write(RowOf(*change->events[next], ordinal, bytes)));
      ++next;
    }
  }
  return {};
}

size_t Committer::Publish(std::span<const Sequenced> batch) {
  size_t shown = 0;
  for (const Sequenced& one : batch) {
    const Change* change = ChangeOf(one.outcome);
    if (change != nullptr) {
      if (RanOutOfMemory([&] { deps_.history.Publish(*change); })) break;
      // What upkeep does not know of would be missing in the file once the log before it is gone.
      if (RanOutOfMemory([&] { upkeep_->Note(*change); })) Stop(kNoMemory);
    }
    ++shown;
  }
  if (shown < batch.size()) Stop("there was no memory to show what had been written");
  PublishNumbers();
  deps_.subscriptions.Announce(deps_.history.newest_event());
  return shown;
}

void Committer::Answer(std::span<Sequenced> batch) {
  for (Sequenced& one : batch) {
    if (!one.outcome.has_value()) {
      Report(one.request, std::move(one.outcome).failure());
    } else if (auto* conflict = std::get_if<Conflict>(&*one.outcome)) {
      Report(one.request, CommitOutcome(std::move(*conflict)));
    } else {
      Report(one.request, CommitOutcome(std::move(std::get<Change>(*one.outcome).committed)));
    }
  }
}

void Committer::AnswerFailed(std::span<Sequenced> batch, Fate fate, const Error& error) {
  const Error unavailable{.reason = StatusReason::kServiceUnavailable,
                          .message = Repeat(error).message};
  for (Sequenced& one : batch) {
    const bool changes = ChangeOf(one.outcome) != nullptr;
    if (changes && fate == Fate::kUnknown) {
      Report(one.request, Fail(UnknownOutcome(error)));
    } else if (changes || !one.on_durable) {
      Report(one.request, Fail(Repeat(unavailable)));
    } else {
      Answer(std::span(&one, 1));
    }
  }
}

void Committer::Refuse(std::span<Request> batch, const Error& error) {
  for (Request& request : batch) Report(request, Fail(Repeat(error)));
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

bool Committer::has_checkpoint() const {
  return database_->log_pages() >= checkpoint_at_;
}

void Committer::DoCheckpoint(bool has_no_waiter) {
  const int pages = database_->log_pages();
  const int growth = has_no_waiter ? 0 : deps_.sqlite_options.checkpoint_pages;
  if (pages < checkpoint_at_ + growth) return;
  const Result<Database::Copied> copied =
      database_->RunCheckpoint(Database::Checkpoint::kWhatCanBe);
  if (!copied.has_value()) NoteUpkeepError(copied.error());
  // The log keeps frames that a reader of the file (a backup) still needs, so it keeps growing.
  const bool starts_anew = copied.has_value() && copied->all;
  checkpoint_at_ = deps_.sqlite_options.checkpoint_pages + (starts_anew ? 0 : pages);
}

void Committer::NoteUpkeepError(const Error& error) {
  if (database_->last_failure() == FailureKind::kOther) Stop(error.message);
}

void Committer::Stop(std::string_view why) {
  if (stopped_) return;
  stopped_ = true;
  database_->LeaveLogBehind(true);
  std::string failure = OutOfMemory().message;
  const auto explain = [&] {
    failure = fmt::format(
        "the store takes no more writes, what it has can be read: {}. Repair the cause and start "
        "again on the same folder: all that was acknowledged is there",
        why);
  };
  // Where there is no memory for the sentence, its middle says enough.
  const bool is_explained = !RanOutOfMemory(explain);
  const MutexLock lock(mutex_);
  numbers_.failure = is_explained ? std::move(failure) : OutOfMemory().message;
}

void Committer::PublishNumbers() {
  const MutexLock lock(mutex_);
  numbers_.live_bytes = sequencer_.live_bytes();
  numbers_.next_expiry = sequencer_.next_expiry();
}

Committer::Numbers Committer::numbers() const {
  const MutexLock lock(mutex_);
  return numbers_;
}

}  // namespace dray::store::sqlite
