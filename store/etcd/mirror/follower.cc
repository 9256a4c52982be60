// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/mirror/follower.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "store/etcd/mirror/mirror.h"
#include "store/etcd/mirror/revision_waiters.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/etcd/rpc/pages.h"
#include "store/etcd/rpc/versions.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"

namespace dray::store::etcd::mirror {
namespace {

constexpr rpc::Timeout kStatusTimeout{2'000};

}  // namespace

Follower::Follower(const Dependencies& dependencies, std::string prefix, ReadValue read_value)
    : deps_(dependencies),
      keys_(rpc::SpanOfPrefix(prefix)),
      mirror_(std::move(prefix), std::move(read_value)) {}

Follower::~Follower() {
  Stop();
}

Result<InitialState> Follower::Begin() {
  DRAY_TRY(const rpc::Found found, rpc::FindEndpoint(deps_.client, deps_.options.dial_timeout));
  endpoint_ = found.endpoint;
  cluster_id_ = found.status.cluster_id;
  file_bytes_ = found.status.file_bytes;
  rpc::Answer<Frozen<Snapshot>> snapshot = ReadAll();
  if (!snapshot.has_value()) return Fail(rpc::ReadError(snapshot.error()));
  return InitialState{.cluster_id = cluster_id_, .snapshot = *std::move(snapshot)};
}

void Follower::Start(const Listeners& listeners) {
  listeners_ = std::make_unique<const Listeners>(listeners);
  thread_ = std::jthread([this] { Run(); });
}

void Follower::BeginToStop() {
  stopping_ = true;
  wakeup_.Wake();
  CancelSilentWatch(std::chrono::nanoseconds(0));
}

void Follower::Stop() {
  BeginToStop();
  if (thread_.joinable()) thread_.join();
}

void Follower::RequestProgress() {
  const MutexLock lock(mutex_);
  if (watch_ != nullptr && progress_counts_) watch_->RequestProgress();
}

void Follower::CancelSilentWatch(std::chrono::nanoseconds patience) {
  if (deps_.world.clock.Monotonic() - last_answer_at_.load() < patience) return;
  const MutexLock lock(mutex_);
  if (watch_ != nullptr) watch_->Cancel();
}

std::string Follower::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

void Follower::StopPermanently(const std::string& why) {
  {
    const MutexLock lock(mutex_);
    failure_ = why;
  }
  deps_.log.Error("the store has stopped: etcd is not what it was", "error", why);
}

std::string Follower::problem() const {
  const MutexLock lock(mutex_);
  return problem_;
}

rpc::Answer<Frozen<Snapshot>> Follower::ReadAll() {
  std::vector<Frozen<Record>> all;
  const rpc::Answer<rpc::RangeAnswer> read =
      rpc::ReadPages(deps_.client,
                     {.keys = keys_, .at = {}, .page_timeout = deps_.options.page_timeout},
                     [&](const std::vector<rpc::KeyValue>& page) {
                       for (const rpc::KeyValue& kv : page) {
                         if (mirror_.Shows(kv.key)) all.push_back(mirror_.RecordOf(kv));
                       }
                       return !stopping_;
                     });
  if (!read.has_value()) return std::unexpected(read.error());
  Frozen<Snapshot> snapshot = mirror_.Load(all, read->newest);
  live_bytes_ = mirror_.live_bytes();
  return snapshot;
}

void Follower::Run() {
  while (!stopping_) {
    const End end = FollowOnce();
    if (stopping_) return;
    if (end.permanent) return StopPermanently(end.why);
    BackOff(end.why);
  }
}

void Follower::SetWatch(rpc::Watch* watch, bool progress_counts) {
  const MutexLock lock(mutex_);
  watch_ = watch;
  progress_counts_ = progress_counts;
}

void Follower::BackOff(const std::string& why) {
  const EtcdOptions& options = deps_.options;
  if (!std::exchange(is_broken_, true)) {
    deps_.log.Warning("the watch of etcd broke",
                      "endpoint",
                      deps_.client.url(endpoint_),
                      "error",
                      why,
                      "revision",
                      mirror_.reached().value());
    // What held for a while may be taken up at once: it was a cut, or another endpoint will do.
    const auto lasted = deps_.world.clock.Monotonic() - working_since_;
    if (lasted > options.dial_backoff_max) backoff_ = std::chrono::milliseconds(0);
  } else {
    const MutexLock lock(mutex_);
    problem_ = why;
  }
  endpoint_ = (endpoint_ + 1) % deps_.client.endpoint_count();
  if (backoff_.count() > 0) {
    const auto percent = static_cast<int64_t>(75 + deps_.world.random.Next() % 50);
    wakeup_.WaitFor(backoff_ * percent / 100);
  }
  backoff_ = std::clamp(backoff_ * 2, options.dial_backoff_min, options.dial_backoff_max);
}

void Follower::OnWatchAnswer() {
  if (!std::exchange(is_broken_, false)) return;
  {
    const MutexLock lock(mutex_);
    problem_.clear();
  }
  working_since_ = deps_.world.clock.Monotonic();
  deps_.log.Info("the watch of etcd continues",
                 "endpoint",
                 deps_.client.url(endpoint_),
                 "revision",
                 mirror_.reached().value());
}

std::optional<Follower::End> Follower::CheckIdentity(const rpc::StatusAnswer& status) {
  const std::string& url = deps_.client.url(endpoint_);
  if (status.cluster_id != cluster_id_) {
    return End{
        .why = fmt::format("etcd at {} is another cluster ({:016x}) than the one this server "
                           "began with ({:016x}): correct the endpoints, or start the "
                           "server again",
                           url,
                           status.cluster_id,
                           cluster_id_),
        .permanent = true};
  }
  // Asked of the cluster, not of this member, which may lag behind.
  const rpc::Answer<rpc::RangeAnswer> newest = deps_.client.RangeAndWait(
      {.keys = {.first = keys_.first, .end = {}}, .limit = 1, .count_only = true}, kStatusTimeout);
  if (!newest.has_value()) return End{.why = newest.error().message};
  if (newest->newest >= mirror_.reached()) return std::nullopt;
  return End{.why = fmt::format("etcd at {} is at revision {} and this server has seen {}: it went "
                                "back to an older state (a restored backup?); start the server "
                                "again to continue from there",
                                url,
                                newest->newest.value(),
                                mirror_.reached().value()),
             .permanent = true};
}

std::optional<Follower::End> Follower::Reload() {
  const rpc::Answer<Frozen<Snapshot>> read = ReadAll();
  if (!read.has_value()) return End{.why = read.error().message};
  if (stopping_) return End{};
  must_reload_ = false;
  const Revision revision = (*read)->revision();
  listeners_->history.Restart(*read);
  listeners_->subscriptions.Announce(revision);
  listeners_->waiters.Reach(revision);
  deps_.log.Warning("the mirror of etcd was read anew; older revisions are expired",
                    "revision",
                    revision.value());
  return std::nullopt;
}

Follower::End Follower::FollowOnce() {
  const rpc::Answer<rpc::StatusAnswer> status =
      deps_.client.StatusForWatchAndWait(endpoint_, kStatusTimeout);
  if (!status.has_value()) return {.why = status.error().message};
  file_bytes_ = status->file_bytes;
  if (std::optional<End> unfit = CheckIdentity(*status)) return *std::move(unfit);
  if (must_reload_) {
    if (std::optional<End> failed = Reload()) return *std::move(failed);
  }
  const bool reliable = rpc::HasReliableProgress(status->version);
  // If etcd's progress reports are unreliable, only events show how far the mirror is complete.
  // Every revision has at least one event on some key, so all keys are watched.
  mirror_.ForgetFragments();
  const std::unique_ptr<rpc::Watch> watch = deps_.client.StartWatch(
      endpoint_, {.keys = reliable ? keys_ : rpc::SpanOfPrefix(""), .after = mirror_.reached()});
  SetWatch(watch.get(), reliable);
  // Forgotten before the watch goes, however that happens.
  const auto forget = [](Follower* self) { self->SetWatch(nullptr, false); };
  const std::unique_ptr<Follower, decltype(forget)> until_then(this, forget);
  if (stopping_) watch->Cancel();
  return Follow(*watch, reliable ? Mirror::Progress::kTrusted : Mirror::Progress::kIgnored);
}

Follower::End Follower::Follow(rpc::Watch& watch, Mirror::Progress progress) {
  while (true) {
    rpc::Answer<rpc::WatchAnswer> answer = watch.Next();
    if (!answer.has_value()) return {.why = answer.error().message};
    if (answer->canceled && answer->compacted > Revision{0}) {
      must_reload_ = true;
      return {.why =
                  fmt::format("etcd has compacted through revision {}", answer->compacted.value())};
    }
    if (answer->canceled) {
      return {.why = fmt::format("etcd ended the watch: {}", answer->cancel_reason)};
    }
    last_answer_at_ = deps_.world.clock.Monotonic();
    OnWatchAnswer();
    if (answer->created) continue;
    const auto step = mirror_.Apply(*std::move(answer), progress);
    if (!step.has_value()) {
      must_reload_ = true;
      return {.why = fmt::format("the watch does not fit the mirror: {}", step.error())};
    }
    Publish(*step);
  }
}

void Follower::Publish(const Mirror::Step& step) {
  if (step.reached == listeners_->waiters.reached()) return;
  for (const Change& change : step.changes) {
    listeners_->before_publishing(change);
    listeners_->history.Publish(change);
  }
  live_bytes_ = mirror_.live_bytes();
  listeners_->history.Advance(step.reached);
  listeners_->subscriptions.Announce(step.reached);
  listeners_->waiters.Reach(step.reached);
}

}  // namespace dray::store::etcd::mirror
