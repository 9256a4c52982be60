// SPDX-License-Identifier: Apache-2.0
#include "net/request_tracker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/world.h"
#include "net/http.h"

namespace dray::net {
namespace {

/// Lines that a request of this age should have had.
uint8_t LinesDue(std::chrono::nanoseconds age) {
  if (age < kLongWait) return 0;
  return age < kVeryLongWait ? 1 : 2;
}

}  // namespace

std::string_view NameOf(RequestProgress progress) {
  switch (progress) {
    case RequestProgress::kReading: return "reading";
    case RequestProgress::kDeciding: return "deciding";
    case RequestProgress::kWriting: return "writing";
    case RequestProgress::kPeerSlow: return "peer slow";
  }
  return "";
}

TrackedRequest RequestTracker::Begin(const Request& head, RequestProgress progress) {
  if (spare_.empty()) spare_.emplace_front();
  const auto entry = spare_.begin();
  entry->began = clock_.Monotonic();
  entry->progress = progress;
  entry->lines = 0;
  entry->has_waited = false;
  entry->method.Set(head.method);
  entry->target.Set(head.target);
  entry->agent.Set(head.headers.Get("User-Agent"));
  entry->peer.Set(head.peer == nullptr ? std::string_view() : head.peer->address);
  under_way_.splice(under_way_.end(), spare_, entry);
  if (entry == under_way_.begin()) PublishOldest();
  return {*this, entry};
}

void RequestTracker::End(Entries::iterator entry) {
  const bool was_oldest = entry == under_way_.begin();
  if (spare_.size() < kSpareEntriesMax) {
    spare_.splice(spare_.begin(), under_way_, entry);
  } else {
    under_way_.erase(entry);
  }
  if (was_oldest) PublishOldest();
}

void RequestTracker::PublishOldest() {
  const int64_t began =
      under_way_.empty() ? kNone : under_way_.front().began.time_since_epoch().count();
  oldest_began_.store(began, std::memory_order_relaxed);
}

RequestWaits RequestTracker::waits() const {
  RequestWaits waits{.answers_waited_for_peer = answers_waited_.load(std::memory_order_relaxed)};
  const int64_t began = oldest_began_.load(std::memory_order_relaxed);
  if (began == kNone) return waits;
  const auto age = clock_.Monotonic().time_since_epoch() - std::chrono::nanoseconds(began);
  waits.oldest_age = std::max(std::chrono::nanoseconds(0), age);
  return waits;
}

void RequestTracker::NoteWaitForPeer(Entry& entry) {
  if (std::exchange(entry.has_waited, true)) return;
  answers_waited_.fetch_add(1, std::memory_order_relaxed);
}

void RequestTracker::LogLongWaits(const Log& log) {
  const MonotonicTime now = clock_.Monotonic();
  if (now - interval_began_ >= kWaitLinesInterval) BeginInterval(log, now);
  for (Entry& entry : under_way_) {
    const std::chrono::nanoseconds age = now - entry.began;
    const uint8_t due = LinesDue(age);
    if (due == 0) return;  // all that follow are younger
    if (entry.lines >= due) continue;
    entry.lines = due;
    if (lines_ == kWaitLinesMax) {
      ++left_out_;
    } else {
      ++lines_;
      LogOne(log, entry, age);
    }
  }
}

void RequestTracker::BeginInterval(const Log& log, MonotonicTime now) {
  if (left_out_ > 0) log.Warning("more requests wait", "requests", uint64_t{left_out_});
  interval_began_ = now;
  lines_ = 0;
  left_out_ = 0;
}

void RequestTracker::LogOne(const Log& log,
                            const Entry& entry,
                            std::chrono::nanoseconds age) const {
  constexpr double kTenth = 10;
  const double seconds = std::chrono::duration<double>(age).count();
  log.Warning("request waits",
              "method",
              entry.method.text(),
              "path",
              entry.target.text(),
              "agent",
              entry.agent.text(),
              "peer",
              entry.peer.text(),
              "seconds",
              std::round(seconds * kTenth) / kTenth,
              "state",
              NameOf(entry.progress));
}

TrackedRequest::TrackedRequest(TrackedRequest&& other) noexcept
    : tracker_(std::exchange(other.tracker_, nullptr)), entry_(other.entry_) {}

TrackedRequest& TrackedRequest::operator=(TrackedRequest&& other) noexcept {
  if (this == &other) return *this;
  End();
  tracker_ = std::exchange(other.tracker_, nullptr);
  entry_ = other.entry_;
  return *this;
}

void TrackedRequest::End() {
  RequestTracker* const tracker = std::exchange(tracker_, nullptr);
  if (tracker != nullptr) tracker->End(entry_);
}

void TrackedRequest::Set(RequestProgress progress) {
  if (tracker_ == nullptr) return;
  entry_->progress = progress;
  if (progress == RequestProgress::kPeerSlow) tracker_->NoteWaitForPeer(*entry_);
}

}  // namespace dray::net
