// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/follower.h"

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

#include "base/mutex.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/etcd/arrivals.h"
#include "store/etcd/client.h"
#include "store/etcd/messages.h"
#include "store/etcd/mirror.h"
#include "store/etcd/pages.h"
#include "store/etcd/versions.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"

namespace dray::store::etcd {
namespace {

constexpr Timeout kStatusTimeout{2'000};

}  // namespace

Follower::Follower(const Around& around, std::string prefix, ReadValue read_value)
    : around_(around),
      keys_(SpanOfPrefix(prefix)),
      mirror_(std::move(prefix), std::move(read_value)) {}

Follower::~Follower() {
  Stop();
}

Result<Beginning> Follower::Begin() {
  DRAY_TRY(const Found found, FindEndpoint(around_.client, around_.options.dial_timeout));
  endpoint_ = found.endpoint;
  cluster_id_ = found.status.cluster_id;
  file_bytes_ = found.status.file_bytes;
  Answer<Frozen<Snapshot>> snapshot = ReadAll();
  if (!snapshot.has_value()) return Fail(ReadError(snapshot.error()));
  return Beginning{.cluster_id = cluster_id_, .snapshot = *std::move(snapshot)};
}

void Follower::Start(const Audience& audience) {
  audience_ = std::make_unique<const Audience>(audience);
  thread_ = std::jthread([this] { Run(); });
}

void Follower::BeginToStop() {
  stopping_ = true;
  wakeup_.Wake();
  GiveUpSilentWatch(std::chrono::nanoseconds(0));
}

void Follower::Stop() {
  BeginToStop();
  if (thread_.joinable()) thread_.join();
}

void Follower::RequestProgress() {
  const MutexLock lock(mutex_);
  if (watch_ != nullptr && progress_counts_) watch_->RequestProgress();
}

void Follower::GiveUpSilentWatch(std::chrono::nanoseconds patience) {
  if (around_.world.clock.Monotonic() - heard_.load() < patience) return;
  const MutexLock lock(mutex_);
  if (watch_ != nullptr) watch_->Cancel();
}

std::string Follower::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

void Follower::StopForGood(const std::string& why) {
  {
    const MutexLock lock(mutex_);
    failure_ = why;
  }
  around_.log.Error("the store has stopped: etcd is not what it was", "error", why);
}

std::string Follower::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

Answer<Frozen<Snapshot>> Follower::ReadAll() {
  std::vector<Frozen<Record>> all;
  const Answer<RangeAnswer> read =
      ReadPages(around_.client,
                {.keys = keys_, .at = {}, .page_timeout = around_.options.page_timeout},
                [&](const std::vector<KeyValue>& page) {
                  for (const KeyValue& kv : page) {
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
    if (end.for_good) return StopForGood(end.why);
    BackOff(end.why);
  }
}

void Follower::BackOff(const std::string& why) {
  const EtcdOptions& options = around_.options;
  if (!std::exchange(is_broken_, true)) {
    around_.log.Warning("the watch of etcd broke",
                        "endpoint",
                        around_.client.url(endpoint_),
                        "error",
                        why,
                        "revision",
                        mirror_.reached().value());
    // What held for a while may be taken up at once: it was a cut, or another endpoint will do.
    const auto lasted = around_.world.clock.Monotonic() - going_on_since_;
    if (lasted > options.dial_backoff_max) backoff_ = std::chrono::milliseconds(0);
  } else {
    const MutexLock lock(mutex_);
    trouble_ = why;
  }
  endpoint_ = (endpoint_ + 1) % around_.client.endpoint_count();
  if (backoff_.count() > 0) {
    const auto percent = static_cast<int64_t>(75 + around_.world.random.Next() % 50);
    wakeup_.WaitFor(backoff_ * percent / 100);
  }
  backoff_ = std::clamp(backoff_ * 2, options.dial_backoff_min, options.dial_backoff_max);
}

void Follower::NoteSuccess() {
  if (!std::exchange(is_broken_, false)) return;
  {
    const MutexLock lock(mutex_);
    trouble_.clear();
  }
  going_on_since_ = around_.world.clock.Monotonic();
  around_.log.Info("the watch of etcd goes on",
                   "endpoint",
                   around_.client.url(endpoint_),
                   "revision",
                   mirror_.reached().value());
}

std::optional<Follower::End> Follower::Recognize(const StatusAnswer& status) {
  const std::string& url = around_.client.url(endpoint_);
  if (status.cluster_id != cluster_id_) {
    return End{
        .why = fmt::format("etcd at {} is another cluster ({:016x}) than the one this server "
                           "began with ({:016x}): correct the endpoints, or start the "
                           "server again",
                           url,
                           status.cluster_id,
                           cluster_id_),
        .for_good = true};
  }
  // Asked of the cluster, not of this member, which may lag behind.
  const Answer<RangeAnswer> newest = around_.client.RangeAndWait(
      {.keys = {.first = keys_.first, .end = {}}, .limit = 1, .count_only = true}, kStatusTimeout);
  if (!newest.has_value()) return End{.why = newest.error().message};
  if (newest->newest >= mirror_.reached()) return std::nullopt;
  return End{.why = fmt::format("etcd at {} is at revision {} and this server has seen {}: it went "
                                "back to an older state (a restored backup?); start the server "
                                "again to go on from there",
                                url,
                                newest->newest.value(),
                                mirror_.reached().value()),
             .for_good = true};
}

std::optional<Follower::End> Follower::ReadAnew() {
  const Answer<Frozen<Snapshot>> read = ReadAll();
  if (!read.has_value()) return End{.why = read.error().message};
  if (stopping_) return End{};
  must_read_anew_ = false;
  const Revision revision = (*read)->revision();
  audience_->history.Restart(*read);
  audience_->subscriptions.Announce(revision);
  audience_->arrivals.Reach(revision);
  around_.log.Warning("the mirror of etcd was read anew; older revisions are expired",
                      "revision",
                      revision.value());
  return std::nullopt;
}

Follower::End Follower::FollowOnce() {
  const Answer<StatusAnswer> status =
      around_.client.StatusForWatchAndWait(endpoint_, kStatusTimeout);
  if (!status.has_value()) return {.why = status.error().message};
  file_bytes_ = status->file_bytes;
  if (std::optional<End> unfit = Recognize(*status)) return *std::move(unfit);
  if (must_read_anew_) {
    if (std::optional<End> failed = ReadAnew()) return *std::move(failed);
  }
  const bool reliable = HasReliableProgress(status->version);
  // Where etcd's word does not count, only events tell how far everything is known. Every revision
  // has at least one event on some key, so all keys are watched.
  mirror_.ForgetFragments();
  Watch watch = around_.client.StartWatch(
      endpoint_, {.keys = reliable ? keys_ : SpanOfPrefix(""), .after = mirror_.reached()});
  {
    const MutexLock lock(mutex_);
    watch_ = &watch;
    progress_counts_ = reliable;
  }
  if (stopping_) watch.Cancel();
  End end = Follow(watch, reliable ? Mirror::Progress::kTrusted : Mirror::Progress::kIgnored);
  const MutexLock lock(mutex_);
  watch_ = nullptr;
  return end;
}

Follower::End Follower::Follow(Watch& watch, Mirror::Progress progress) {
  while (true) {
    Answer<WatchAnswer> answer = watch.Next();
    if (!answer.has_value()) return {.why = answer.error().message};
    if (answer->canceled && answer->compacted > Revision{0}) {
      must_read_anew_ = true;
      return {.why =
                  fmt::format("etcd has compacted through revision {}", answer->compacted.value())};
    }
    if (answer->canceled) {
      return {.why = fmt::format("etcd ended the watch: {}", answer->cancel_reason)};
    }
    heard_ = around_.world.clock.Monotonic();
    NoteSuccess();
    if (answer->created) continue;
    const auto step = mirror_.Apply(*std::move(answer), progress);
    if (!step.has_value()) {
      must_read_anew_ = true;
      return {.why = fmt::format("the watch does not fit the mirror: {}", step.error())};
    }
    Publish(*step);
  }
}

void Follower::Publish(const Mirror::Step& step) {
  if (step.reached == audience_->arrivals.reached()) return;
  for (const Change& change : step.changes) {
    audience_->before_publishing(change);
    audience_->history.Publish(change);
  }
  live_bytes_ = mirror_.live_bytes();
  audience_->history.Advance(step.reached);
  audience_->subscriptions.Announce(step.reached);
  audience_->arrivals.Reach(step.reached);
}

}  // namespace dray::store::etcd
