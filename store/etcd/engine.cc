// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/engine.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/frozen.h"
#include "base/log.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "store/etcd/mirror/follower.h"
#include "store/etcd/options.h"
#include "store/etcd/requests/committer.h"
#include "store/etcd/requests/syncer.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::store::etcd {
namespace {

/// The identity of the store with these keys in this cluster. It is the same in every process.
std::string IdOf(uint64_t cluster_id, std::string_view prefix) {
  if (prefix == "/registry/") return IdText(cluster_id);
  constexpr uint64_t kFnvPrime = 0x100'0000'01b3;  // FNV-1a
  for (const char each : prefix) {
    cluster_id = (cluster_id ^ static_cast<unsigned char>(each)) * kFnvPrime;
  }
  return IdText(cluster_id);
}

std::string_view KeyOf(const Operation& operation) {
  return std::visit([](const auto& one) { return std::string_view(one.key); }, operation);
}

Failure Unavailable(std::string message) {
  return Fail(StatusReason::kServiceUnavailable, std::move(message));
}

}  // namespace

/// Finds values that this process is writing, so that the mirror need not decode them when they
/// come back.
struct Engine::Relay {
  const requests::Committer* committer = nullptr;
  ReadValue read_value;

  Frozen<Value> Read(std::string_view key, std::string_view bytes) const {
    if (committer != nullptr) {
      if (Frozen<Value> value = committer->ValueInFlight(key, bytes)) return value;
    }
    return read_value(key, bytes);
  }
};

Result<std::unique_ptr<Engine>> Engine::Open(World& world,
                                             Log log,
                                             const EtcdOptions& etcd_options,
                                             const Options& options) {
  DRAY_TRY(std::unique_ptr<rpc::Client> client, rpc::Client::Make(world.disk, etcd_options));
  std::unique_ptr<Engine> engine(
      new Engine(world, std::move(log), etcd_options, options, std::move(client)));
  DRAY_TRY_VOID(engine->Begin());
  return engine;
}

Engine::Engine(World& world,
               Log log,
               const EtcdOptions& etcd_options,
               const Options& options,
               std::unique_ptr<rpc::Client> client)
    : world_(world),
      log_(std::move(log)),
      etcd_options_(etcd_options),
      options_(options),
      prefix_(etcd_options.prefix.empty() ? "" : etcd_options.prefix + "/"),
      relay_(
          std::make_unique<Relay>(Relay{.committer = nullptr, .read_value = options.read_value})),
      client_(std::move(client)),
      follower_({.world = world_, .log = log_, .options = etcd_options_, .client = *client_},
                prefix_,
                [relay = relay_.get()](std::string_view key, std::string_view bytes) {
                  return relay->Read(key, bytes);
                }),
      subscriptions_(options) {}

Result<> Engine::Begin() {
  DRAY_TRY(const mirror::InitialState initial, follower_.Begin());
  id_ = IdOf(initial.cluster_id, prefix_);
  running_ = std::make_unique<Running>(*this, initial.snapshot);
  relay_->committer = &running_->committer;
  follower_.Start({.history = running_->history,
                   .subscriptions = subscriptions_,
                   .waiters = running_->waiters,
                   .before_publishing = [this](const Change& change) {
                     running_->committer.BeforePublishing(change);
                   }});
  upkeep_ = std::jthread([this] { Maintain(); });
  return {};
}

Engine::Running::Running(Engine& engine, const Frozen<Snapshot>& first)
    : history(engine.options_, first),
      waiters(first->revision()),
      callbacks(engine.etcd_options_.commits_in_flight_max +
                engine.etcd_options_.syncs_waiting_max),
      committer({.world = engine.world_,
                 .options = engine.etcd_options_,
                 .client = *engine.client_,
                 .history = history,
                 .mirror = engine.follower_.mirror(),
                 .waiters = waiters,
                 .callbacks = callbacks,
                 .request_progress = [&engine] { engine.follower_.RequestProgress(); }}),
      syncer({.world = engine.world_,
              .options = engine.etcd_options_,
              .client = *engine.client_,
              .waiters = waiters,
              .callbacks = callbacks,
              .request_progress = [&engine] { engine.follower_.RequestProgress(); },
              .key = rpc::SpanOfPrefix(engine.prefix_).first}),
      compaction(engine.etcd_options_.compaction_interval, engine.world_.clock.Monotonic()) {}

Engine::~Engine() {
  closing_ = true;
  wakeup_.Wake();
  if (upkeep_.joinable()) upkeep_.join();
  follower_.BeginToStop();
  client_->Close();
  follower_.Stop();
  if (running_ == nullptr) return;
  running_->syncer.Close();
  running_->waiters.Close();
  running_->callbacks.Close();
}

Result<> Engine::CheckUsable() const {
  if (closing_) return Unavailable("the store is closing");
  std::string failure = follower_.failure();
  if (!failure.empty()) return Unavailable(std::move(failure));
  return {};
}

Result<> Engine::Check(const Txn& txn) const {
  DRAY_TRY_VOID(CheckTxn(txn));
  const auto check_key = [&](std::string_view key) -> Result<> {
    if (follower_.mirror().Shows(key)) return {};
    return Fail(StatusReason::kBadRequest,
                fmt::format("the key {} is not one of this store, which has \"{}\"", key, prefix_));
  };
  for (const Compare& compare : txn.compares) DRAY_TRY_VOID(check_key(compare.key));
  for (const Operation& operation : txn.operations) {
    DRAY_TRY_VOID(check_key(KeyOf(operation)));
    const Put* put = std::get_if<Put>(&operation);
    if (put == nullptr) continue;
    const size_t size = put->value->bytes().size();
    if (size > kValueBytesMax) {
      return Fail(
          StatusReason::kRequestEntityTooLarge,
          fmt::format(
              "the value of {} has {} bytes, the limit is {}", put->key, size, kValueBytesMax));
    }
    DRAY_TRY_VOID(put->value->CheckDurable());
  }
  return CheckRoom(txn);
}

Result<> Engine::CheckRoom(const Txn& txn) const {
  const Frozen<Snapshot> newest = running_->history.newest();
  size_t added = 0;
  size_t removed = 0;
  for (const Operation& operation : txn.operations) {
    const std::string_view key = KeyOf(operation);
    if (const Put* put = std::get_if<Put>(&operation)) added += key.size() + put->value->size();
    const Record* previous = newest->Find(key);
    if (previous != nullptr) removed += key.size() + previous->value->size();
  }
  const size_t live_bytes = follower_.live_bytes();
  if (added <= removed || live_bytes + added - removed <= options_.live_bytes_max) return {};
  return Fail(StatusReason::kTooManyRequests,
              fmt::format("the store holds {} bytes and may hold {}: delete something first",
                          live_bytes,
                          options_.live_bytes_max));
}

void Engine::Commit(Txn txn, CommitCallback done) {
  Result<> usable = CheckUsable();
  if (usable.has_value()) usable = Check(txn);
  if (!usable.has_value()) return done(std::move(usable).failure());
  if (!txn.operations.empty() || !txn.compares.empty()) {
    return running_->committer.Commit(std::move(txn), std::move(done));
  }
  running_->syncer.Sync([done = std::move(done)](Result<Revision> newest) mutable {
    if (!newest.has_value()) return done(std::move(newest).failure());
    done(Committed{.revision = *newest, .records = {}});
  });
}

void Engine::Sync(requests::SyncCallback done) {
  Result<> usable = CheckUsable();
  if (!usable.has_value()) return done(std::move(usable).failure());
  running_->syncer.Sync(std::move(done));
}

Result<> Engine::Compact(Revision revision) {
  DRAY_TRY_VOID(CheckUsable());
  if (revision > kFirstRevision && revision <= history().newest()->revision()) {
    const rpc::Answer<Revision> answer =
        client_->CompactAndWait(revision, etcd_options_.commit_timeout);
    if (!answer.has_value() && answer.error().kind != rpc::CallFailure::Kind::kCompacted) {
      return Fail(rpc::ReadError(answer.error()));
    }
  }
  return running_->history.Compact(revision);
}

store::Status Engine::status() const {
  store::Status status;
  history().AddTo(status);
  status.id = id_;
  status.failure = follower_.failure();
  if (status.failure.empty()) status.failure = running_->committer.failure();
  if (status.failure.empty()) status.failure = follower_.problem();
  status.live_bytes = follower_.live_bytes();
  status.file_bytes = static_cast<size_t>(follower_.file_bytes());
  status.subscriptions = subscriptions_.size();
  return status;
}

void Engine::Maintain() {
  while (!closing_) {
    wakeup_.WaitFor(kTick);
    MaintainOnce();
  }
}

void Engine::MaintainOnce() {
  const size_t given_up = running_->waiters.ExpireWaits(world_.clock.Monotonic());
  // etcd has a revision that the watch did not deliver. Either the watch is slow, or its connection
  // is broken without an error.
  if (given_up > 0) follower_.CancelSilentWatch(etcd_options_.sync_timeout / 3);
  if (running_->waiters.someone_waits()) follower_.RequestProgress();
  running_->syncer.Tick();
  TryToCompact();
}

void Engine::TryToCompact() {
  if (compacting_) return;
  const std::optional<rpc::TxnQuery> attempt = running_->compaction.Try(world_.clock.Monotonic());
  if (!attempt.has_value()) return;
  compacting_ = true;
  client_->Txn(
      *attempt, etcd_options_.commit_timeout, [this](const rpc::Answer<rpc::TxnAnswer>& answer) {
        if (!answer.has_value()) {
          log_.Warning(
              "whose turn it is to compact etcd is not known", "error", answer.error().message);
          compacting_ = false;
          return;
        }
        const std::optional<Revision> revision = running_->compaction.Next(*answer);
        compacting_ = false;
        if (!revision.has_value()) return;
        client_->Compact(*revision,
                         etcd_options_.commit_timeout,
                         [this, revision = *revision](const rpc::Answer<Revision>& done) {
                           if (done.has_value()) {
                             log_.Info("compacted etcd", "revision", revision.value());
                           } else if (done.error().kind != rpc::CallFailure::Kind::kCompacted) {
                             log_.Warning("etcd was not compacted", "error", done.error().message);
                           }
                         });
      });
}

}  // namespace dray::store::etcd
