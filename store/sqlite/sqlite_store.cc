// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_store.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
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
#include "store/history.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/sqlite/answered.h"
#include "store/sqlite/check_whole.h"
#include "store/sqlite/commit_queue.h"
#include "store/sqlite/committer.h"
#include "store/sqlite/database.h"
#include "store/sqlite/files.h"
#include "store/sqlite/folder_lock.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recovery.h"
#include "store/sqlite/schema.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

/// The durable form of the value of `put`. The value's estimated size has been checked already.
Result<std::string> Encode(const Put& put) {
  std::string bytes = put.value->bytes();
  if (bytes.size() > kValueBytesMax) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                fmt::format("the value of {} has {} bytes, the limit is {}",
                            put.key,
                            bytes.size(),
                            kValueBytesMax));
  }
  if (bytes.empty() && put.value->size() > 0) {
    return Fail(StatusReason::kInternalError,
                fmt::format("the value of {} has no durable form", put.key));
  }
  DRAY_TRY_VOID(put.value->CheckDurable());
  return bytes;
}

Result<Request> MakeRequest(Txn txn) {
  DRAY_TRY_VOID(CheckTxn(txn));
  Request request;
  for (const Operation& operation : txn.operations) {
    std::string bytes;
    if (const Put* put = std::get_if<Put>(&operation)) {
      DRAY_TRY(bytes, Encode(*put));
      request.size += put->key.size();
    }
    request.size += bytes.size();
    request.bytes.push_back(std::move(bytes));
  }
  request.what = std::move(txn);
  return request;
}

/// Makes one request for each step; the steps keep their callbacks. Returns an error if that is not
/// possible.
std::optional<Error> MakeRequests(std::vector<Step>& steps, std::vector<Request>& requests) {
  if (steps.size() > kStepsMax) {
    return Error{
        .reason = StatusReason::kRequestEntityTooLarge,
        .message = fmt::format("{} steps exceed the limit of {}", steps.size(), kStepsMax)};
  }
  requests.reserve(steps.size());
  for (Step& step : steps) {
    Result<Request> request = MakeRequest(std::move(step.txn));
    if (!request.has_value()) return std::move(request).error();
    request->steps_after = steps.size() - requests.size() - 1;
    requests.push_back(*std::move(request));
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& folder,
                                                       const Options& options,
                                                       const SqliteOptions& sqlite_options) {
  DRAY_TRY(FolderLock lock, FolderLock::Take(folder));
  const std::string file = StoreFile(folder);
  DRAY_TRY(std::unique_ptr<Database> database, OpenToServe(file, sqlite_options, options.new_id));
  DRAY_TRY(const Recovered recovered, Recover(*database, options, sqlite_options));
  // Everything is read before anything is written, so a damaged store is left unchanged.
  DRAY_TRY_VOID(CheckWhole(*database, sqlite_options));
  DRAY_TRY_VOID(MakeDurable(*database));
  AnsweredWriter answered;
  if (KeepsAnswered(sqlite_options)) {
    answered = AnsweredWriter(file, recovered.meta.id, recovered.newest->revision());
  }
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(folder, std::move(lock), options, sqlite_options, recovered));
  DRAY_TRY(store->committer_,
           Committer::Make({.options = store->options_,
                            .sqlite_options = store->sqlite_options_,
                            .queue = store->queue_,
                            .history = store->history_,
                            .subscriptions = store->subscriptions_},
                           std::move(answered),
                           std::move(database),
                           recovered));
  store->thread_ = std::jthread([committer = store->committer_.get()] { committer->Run(); });
  return store;
}

SqliteStore::SqliteStore(std::string folder,
                         FolderLock lock,
                         Options options,
                         SqliteOptions sqlite_options,
                         const Recovered& recovered)
    : folder_(std::move(folder)),
      lock_(std::move(lock)),
      options_(std::move(options)),
      sqlite_options_(std::move(sqlite_options)),
      id_(recovered.meta.id),
      subscriptions_(options_),
      history_(options_, recovered.newest, recovered.floor, recovered.events),
      queue_(sqlite_options_) {}

SqliteStore::~SqliteStore() {
  queue_.Close();
  if (thread_.joinable()) thread_.join();
}

Frozen<Snapshot> SqliteStore::Read() const {
  return history_.newest();
}

void SqliteStore::Sync(std::move_only_function<void(Result<Revision>)> done) {
  done(history_.newest()->revision());
}

Result<Frozen<Snapshot>> SqliteStore::ReadAt(Revision revision) const {
  return history_.ReadAt(revision);
}

void SqliteStore::Commit(Txn txn, CommitCallback done) {
  Result<Request> request = MakeRequest(std::move(txn));
  if (!request.has_value()) return done(std::move(request).failure());
  request->done = std::move(done);
  if (std::optional<Error> refused = queue_.Push(*request)) {
    request->done(Fail(*std::move(refused)));
  }
}

void SqliteStore::CommitSteps(std::vector<Step> steps) {
  std::vector<Request> requests;
  std::optional<Error> refused;
  if (RanOutOfMemory([&] { refused = MakeRequests(steps, requests); })) refused = OutOfMemory();
  if (!refused.has_value()) {
    for (size_t i = 0; i < steps.size(); ++i) requests[i].done = std::move(steps[i].done);
    if (RanOutOfMemory([&] { refused = queue_.Push(requests); })) refused = OutOfMemory();
    if (!refused.has_value()) return;
    for (size_t i = 0; i < steps.size(); ++i) steps[i].done = std::move(requests[i].done);
  }
  for (Step& step : steps) step.done(Fail(*refused));
}

Result<Batch> SqliteStore::EventsAfter(Revision after, std::string_view prefix, size_t max) const {
  return history_.EventsAfter(after, prefix, max);
}

Result<Subscription> SqliteStore::Subscribe(Wake wake) {
  return subscriptions_.Add(std::move(wake));
}

void SqliteStore::ExpireDue(WallTime now,
                            size_t max,
                            std::move_only_function<void(Result<size_t>)> done) {
  Request request{.what = Expire{.now = now, .max = max}};
  request.done = [done = std::move(done)](Result<CommitOutcome> outcome) mutable {
    if (!outcome.has_value()) return done(std::move(outcome).failure());
    done(std::get<Committed>(*outcome).records.size());  // an Expire has no compares, so it cannot
                                                         // conflict
  };
  if (std::optional<Error> refused = queue_.Push(request)) {
    request.done(Fail(*std::move(refused)));
  }
}

Result<> SqliteStore::Compact(Revision revision) {
  DRAY_TRY_VOID(history_.Compact(revision));
  committer_->ForceFloor(revision);
  return {};
}

Status SqliteStore::status() const {
  Status status{.id = id_};
  history_.AddTo(status);
  status.subscriptions = subscriptions_.size();
  Committer::Numbers numbers = committer_->numbers();
  status.live_bytes = numbers.live_bytes;
  status.next_expiry = numbers.next_expiry;
  status.failure = std::move(numbers.failure);
  const std::string file = StoreFile(folder_);
  status.file_bytes = FileBytes(file) + FileBytes(file + "-wal");
  return status;
}

}  // namespace dray::store::sqlite
