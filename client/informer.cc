// SPDX-License-Identifier: Apache-2.0
// The mirror follows one rule: an object is replaced only by a newer version of itself. Two sources
// feed it, the watch and what the component itself wrote (Assume), and either may be first. A write
// the watch has passed already is ignored, so an object that was deleted meanwhile cannot come
// back.
#include "client/informer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>

namespace dray::client {
namespace {

constexpr std::chrono::milliseconds kRetryFirst(100);
constexpr std::chrono::seconds kRetryLongest(10);

uint64_t ParseVersion(std::string_view text) {
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? version : 0;
}

}  // namespace

uint64_t VersionOf(const api::Object& object) {
  return ParseVersion(object.metadata().resource_version);
}

Informer::Informer(Client& client,
                   const api::KindInfo& kind,
                   const Clock& clock,
                   Wakeup& wakeup,
                   Log log,
                   Options options)
    : client_(client),
      kind_(kind),
      clock_(clock),
      wakeup_(wakeup),
      log_(std::move(log)),
      options_(std::move(options)),
      mailbox_(options_.pending_batches_max) {}

size_t Informer::AddIndex(Indexer indexer) {
  indexes_.push_back({.indexer = std::move(indexer), .keys = {}});
  return indexes_.size() - 1;
}

std::optional<MonotonicTime> Informer::Step() {
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
  const auto* events = std::get_if<std::vector<WatchEvent>>(&message);
  const bool is_quiet =
      options_.is_quiet && events != nullptr && std::ranges::all_of(*events, options_.is_quiet);
  if (!mailbox_.messages.TryPush(std::move(message))) {
    mailbox_.overflowed = true;
  } else if (is_quiet && mailbox_.messages.size() < kQuietBatchesMax) {
    return;
  }
  wakeup_.Wake();
}

void Informer::Start(MonotonicTime now) {
  if (must_list_) {
    const Result<ObjectList> list = client_.List(kind_, options_.selection);
    if (!list) return Failed("list", list.error(), now);
    Replace(*list);
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
    case WatchEventType::kModified: return Put(event.object);
    case WatchEventType::kDeleted: {
      const std::string key = api::ObjectKey(event.object.metadata());
      const api::Object* known = Find(key);
      if (known != nullptr && VersionOf(*known) <= version) Remove(key);
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

void Informer::Replace(const ObjectList& list) {
  Keys listed;
  for (const api::Object& object : list.items) listed.insert(api::ObjectKey(object.metadata()));
  std::vector<std::string> gone;
  for (const auto& [key, object] : objects_) {
    if (!listed.contains(key)) gone.push_back(key);
  }
  for (const std::string& key : gone) Remove(key);
  for (const api::Object& object : list.items) Put(object);
  resource_version_ = list.resource_version;
  seen_ = std::max(seen_, ParseVersion(resource_version_));
  must_list_ = false;
  synced_ = true;
}

void Informer::Assume(const api::Object& object) {
  if (VersionOf(object) > seen_) Put(object);
}

const api::Object* Informer::Find(std::string_view key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

const Informer::Keys& Informer::Indexed(size_t index, std::string_view value) const {
  static const Keys kNone;
  const auto found = indexes_[index].keys.find(value);
  return found == indexes_[index].keys.end() ? kNone : found->second;
}

// The first object whose key is not less. Objects that come one after the other mostly have keys
// that do, so the place behind the last is looked at first.
Informer::Objects::iterator Informer::PlaceOf(const std::string& key) {
  if (last_put_ != objects_.end() && last_put_->first < key) {
    const auto next = std::next(last_put_);
    if (next == objects_.end() || next->first >= key) return next;
  }
  return objects_.lower_bound(key);
}

void Informer::Put(const api::Object& object) {
  std::string key = api::ObjectKey(object.metadata());
  const auto known = PlaceOf(key);
  if (known == objects_.end() || known->first != key) {
    const auto added = last_put_ = objects_.emplace_hint(known, std::move(key), object);
    ChangeIndexes(added->first, nullptr, &added->second);
    return Notify(nullptr, &added->second);
  }
  if (VersionOf(known->second) >= VersionOf(object) && VersionOf(object) != 0) return;
  if (known->second.metadata().uid != object.metadata().uid) {
    Remove(key);
    return Put(object);
  }
  const api::Object before = std::exchange(known->second, object);
  ChangeIndexes(key, &before, &object);
  Notify(&before, &object);
}

void Informer::Remove(const std::string& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  if (found == last_put_) last_put_ = objects_.end();
  const auto node = objects_.extract(found);
  ChangeIndexes(key, &node.mapped(), nullptr);
  Notify(&node.mapped(), nullptr);
}

void Informer::Notify(const api::Object* before, const api::Object* after) {
  for (const ChangeHandler& handler : handlers_) handler(before, after);
}

void Informer::ChangeIndexes(const std::string& key,
                             const api::Object* before,
                             const api::Object* after) {
  std::vector<std::string> values;
  for (Index& index : indexes_) {
    values.clear();
    if (before != nullptr) index.indexer(*before, values);
    for (const std::string& value : values) {
      const auto keys = index.keys.find(value);
      if (keys == index.keys.end()) continue;
      keys->second.erase(key);
      if (keys->second.empty()) index.keys.erase(keys);
    }
    values.clear();
    if (after != nullptr) index.indexer(*after, values);
    for (std::string& value : values) index.keys[std::move(value)].insert(key);
  }
}

}  // namespace dray::client
