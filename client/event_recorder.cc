// SPDX-License-Identifier: Apache-2.0
#include "client/event_recorder.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/event.h"

namespace dray::client {
namespace {

namespace core_v1 = api::core_v1;

// The limit of Event.message in the API.
constexpr size_t kMessageBytesMax = 1024;
// Objects whose budgets are remembered; beyond it all start afresh.
constexpr size_t kBudgetsMax = 4096;

/// At most kMessageBytesMax bytes, not cut inside a UTF-8 character.
std::string Shorten(std::string message) {
  if (message.size() <= kMessageBytesMax) return message;
  size_t end = kMessageBytesMax;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  message.resize(end);
  return message;
}

core_v1::ObjectReference ReferenceTo(const api::Object& object) {
  const api::meta_v1::ObjectMeta& metadata = object.metadata();
  return {.kind = std::string(object.kind().kind),
          .namespace_ = metadata.namespace_,
          .name = metadata.name,
          .uid = metadata.uid,
          .api_version = std::string(object.kind().api_version),
          .resource_version = metadata.resource_version,
          .field_path = {}};
}

}  // namespace

EventRecorder::EventRecorder(
    Client& client, World& world, std::string component, Log log, Options options)
    : client_(client),
      world_(world),
      component_(std::move(component)),
      log_(std::move(log)),
      options_(options) {}

void EventRecorder::Record(const api::Object& about, EventText text) {
  using std::chrono::duration_cast;
  const auto since_epoch = world_.clock.Now().time_since_epoch();
  const int64_t now = duration_cast<std::chrono::seconds>(since_epoch).count();
  if (pending_.size() >= options_.pending_max || !TakeBudget(about.metadata().uid, now)) return;

  core_v1::Event event;
  event.metadata.namespace_ =
      about.metadata().namespace_.empty() ? "default" : about.metadata().namespace_;
  event.metadata.name =
      fmt::format("{}.{:x}",
                  about.metadata().name,
                  static_cast<uint64_t>(since_epoch.count()) + world_.random.Next() % 1024);
  event.involved_object = ReferenceTo(about);
  event.reason = std::move(text.reason);
  event.message = Shorten(std::move(text.message));
  const std::string& component = text.component.empty() ? component_ : text.component;
  event.source.component = component;
  event.first_timestamp = event.last_timestamp = api::Time::FromUnixSeconds(now);
  event.count = 1;
  event.type = text.type == EventType::kNormal ? "Normal" : "Warning";
  event.action = std::move(text.action);
  event.reporting_component = component;
  std::string key =
      fmt::format("{}/{}/{}/{}", about.metadata().uid, event.type, event.reason, event.message);
  pending_.push_back({.key = std::move(key), .event = api::Object::Of(std::move(event))});
}

bool EventRecorder::Send(size_t max) {
  std::set<std::string> keys;  // of those under way; a repetition waits for the first to be stored
  WriteRounds rounds(client_);
  for (size_t i = 0; i < max && !pending_.empty(); ++i) {
    if (!keys.insert(pending_.front().key).second) {
      rounds.RunAll();
      keys = {pending_.front().key};
    }
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    const auto seen = Remember(next.key);
    Start(Write(&rounds, seen->stored, next.event),
          [this, key = next.key](Result<api::Object> done) {
            if (!done) log_.Debug("event dropped", "error", done.error().message);
            const auto known = seen_by_key_.find(key);
            if (known == seen_by_key_.end()) return;
            known->second->stored = done ? *std::move(done) : api::Object();
          });
  }
  rounds.RunAll();
  return !pending_.empty();
}

Task<api::Object> EventRecorder::Write(WriteRounds* rounds, api::Object stored, api::Object event) {
  if (stored.empty()) co_return co_await rounds->Create(event);
  api::Object repeated = stored.Clone();
  auto& edited = repeated.Mutable<core_v1::Event>();
  edited.count += 1;
  edited.last_timestamp = event.As<core_v1::Event>().last_timestamp;
  edited.metadata.resource_version.clear();  // this recorder alone counts the event
  Result<api::Object> written = co_await rounds->Update(std::move(repeated), "");
  if (written) co_return written;
  co_return co_await rounds->Create(std::move(event));  // it expired meanwhile
}

EventRecorder::SeenList::iterator EventRecorder::Remember(const std::string& key) {
  const auto known = seen_by_key_.find(key);
  if (known != seen_by_key_.end()) {
    seen_.splice(seen_.begin(), seen_, known->second);
    return seen_.begin();
  }
  if (seen_.size() >= options_.remembered_max) {
    seen_by_key_.erase(seen_.back().key);
    seen_.pop_back();
  }
  seen_.push_front({.key = key, .stored = {}});
  seen_by_key_[key] = seen_.begin();
  return seen_.begin();
}

bool EventRecorder::TakeBudget(const std::string& uid, int64_t now) {
  if (budgets_.size() >= kBudgetsMax && !budgets_.contains(uid)) budgets_.clear();
  Budget& budget = budgets_.try_emplace(uid, Budget{options_.burst, now}).first->second;
  const int64_t refills = (now - budget.refilled_at) / options_.interval_seconds;
  if (refills > 0) {
    budget.left = static_cast<int>(std::min<int64_t>(options_.burst, budget.left + refills));
    budget.refilled_at += refills * options_.interval_seconds;
  }
  if (budget.left == 0) return false;
  --budget.left;
  return true;
}

}  // namespace dray::client
