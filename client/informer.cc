// SPDX-License-Identifier: Apache-2.0
// The mirror follows one rule: an object is replaced only by a newer version of itself. Two sources
// feed it, the watch and what the component itself wrote (Assume), and either may be first. A write
// the watch has passed already is ignored, so an object that was deleted meanwhile cannot come
// back.
#include "client/informer.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/try.h"

namespace dray::client {
namespace {

constexpr std::chrono::milliseconds kRetryFirst(100);
constexpr std::chrono::seconds kRetryLongest(10);
// Objects of a list that are asked for at one time.
constexpr size_t kPage = 256;

}  // namespace

Informer::Informer(Client& client,
                   const api::KindInfo& kind,
                   const Clock& clock,
                   Wakeup& wakeup,
                   Log log,
                   Options options,
                   Mirror* into)
    : client_(client),
      kind_(kind),
      clock_(clock),
      wakeup_(wakeup),
      log_(std::move(log)),
      options_(std::move(options)),
      mirror_(into == nullptr ? own_mirror_ : *into),
      mailbox_(options_.pending_batches_max) {}

std::optional<MonotonicTime> Informer::Step() {
  mirror_.GiveBack();
  Drain();
  if (watch_ != nullptr) return std::nullopt;
  const MonotonicTime now = clock_.Monotonic();
  if (now < retry_at_) return retry_at_;
  Start(now);
  Drain();
  if (watch_ != nullptr) return std::nullopt;
  return std::max(retry_at_, now);
}

/// On the thread of the watch.
void Informer::Receive(Message message) {
  if (!mailbox_.messages.TryPush(std::move(message))) mailbox_.overflowed = true;
  wakeup_.Wake();
}

void Informer::Start(MonotonicTime now) {
  if (must_list_) {
    const Result<> listed = ListAll();
    if (!listed) return Failed("list", listed.error(), now);
  }
  WatchHandler handler{
      .events = [this](std::vector<WatchEvent> events) { Receive(std::move(events)); },
      .ended = [this](Error error) { Receive(std::move(error)); }};
  Result<std::unique_ptr<Watch>> watch =
      client_.StartWatch(kind_, options_.selection, resource_version_, std::move(handler));
  if (!watch) {
    must_list_ = must_list_ || watch.error().reason == StatusReason::kExpired ||
                 watch.error().reason == StatusReason::kGone;
    return Failed("watch", watch.error(), now);
  }
  watch_ = *std::move(watch);
  failures_ = 0;
}

void Informer::StartOver() {
  watch_.reset();
  while (mailbox_.messages.TryPop()) {
  }
  mailbox_.overflowed = false;
}

void Informer::Drain() {
  if (mailbox_.overflowed) {
    log_.Warning(
        "events came faster than they were handled; listing again", "resource", kind_.plural);
    StartOver();
    must_list_ = true;
    return;
  }
  while (std::optional<Message> message = mailbox_.messages.TryPop()) {
    if (const auto* events = std::get_if<std::vector<WatchEvent>>(&*message)) {
      for (const WatchEvent& event : *events) Apply(event);
    } else {
      return Ended(std::get<Error>(*message));
    }
  }
}

void Informer::Apply(const WatchEvent& event) {
  const uint64_t version = VersionOf(event.object);
  resource_version_ = event.object.metadata().resource_version;
  seen_ = std::max(seen_, version);
  switch (event.type) {
    case WatchEventType::kAdded:
    case WatchEventType::kModified: return mirror_.PutNewer(event.object, SourceOf(event.object));
    case WatchEventType::kDeleted: {
      const std::string key = api::ObjectKey(event.object.metadata());
      const api::Object* known = Find(key);
      if (known != nullptr && VersionOf(*known) <= version) mirror_.Remove(key);
      return;
    }
    case WatchEventType::kBookmark: return;
  }
}

void Informer::Ended(const Error& error) {
  StartOver();
  const bool clean = error.reason == StatusReason::kUnknown && error.message.empty();
  if (clean) return;
  if (error.reason == StatusReason::kExpired || error.reason == StatusReason::kGone) {
    log_.Info("the server has dropped events that were not seen; listing again",
              "resource",
              kind_.plural);
    must_list_ = true;
    return;
  }
  Failed("watch", error, clock_.Monotonic());
}

void Informer::Failed(std::string_view what, const Error& error, MonotonicTime now) {
  log_.Warning("cannot follow a resource; trying again",
               "resource",
               kind_.plural,
               "step",
               what,
               "error",
               error.message);
  std::chrono::nanoseconds delay = kRetryFirst;
  for (int i = 0; i < failures_ && delay < kRetryLongest; ++i) delay *= 2;
  failures_ = std::min(failures_ + 1, 20);  // 2^20 first delays are longer than the longest
  retry_at_ = now + std::min<std::chrono::nanoseconds>(delay, kRetryLongest);
}

// Page by page, so that no more objects are decoded at one time. Into a mirror that has objects
// they go when all are listed, behind the removal of those that were not.
Result<> Informer::ListAll() {
  const bool is_first = mirror_.objects().empty();
  std::vector<Listed> listed;
  ListOptions page = options_.selection;
  page.limit = kPage;
  std::string version;
  do {
    DRAY_TRY(const ObjectList list, client_.List(kind_, page));
    for (const api::Object& object : list.items) {
      Frozen<ObjectSource> source = SourceOf(object);
      if (is_first) {
        mirror_.PutNewer(object, std::move(source));
      } else {
        listed.push_back(
            {.object = source == nullptr ? object : api::Object(), .source = std::move(source)});
      }
    }
    page.continue_token = list.continue_token;
    version = list.resource_version;
  } while (!page.continue_token.empty());
  if (!is_first) Replace(listed);
  resource_version_ = std::move(version);
  seen_ = std::max(seen_, VersionOf(resource_version_));
  must_list_ = false;
  synced_ = true;
  return {};
}

void Informer::Replace(const std::vector<Listed>& listed) {
  std::set<std::string> keys;
  for (const Listed& one : listed) keys.insert(api::ObjectKey(one.Get().metadata()));
  for (const std::string& key : mirror_.KeysBut(keys)) mirror_.Remove(key);
  for (const Listed& one : listed) mirror_.PutNewer(one.Get(), one.source);
}

Frozen<ObjectSource> Informer::SourceOf(const api::Object& object) const {
  if (options_.holds_structs) return nullptr;
  return client_.SourceOf(object, options_.selection);
}

void Informer::Assume(const api::Object& object) {
  if (VersionOf(object) > seen_) mirror_.PutNewer(object, SourceOf(object));
}

}  // namespace dray::client
