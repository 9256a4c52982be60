// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue.h"

#include <algorithm>

namespace dray::scheduler {

void SchedulingQueue::Add(const std::string& pod, int32_t priority, MonotonicTime now) {
  const auto [entry, is_new] = pods_.try_emplace(pod);
  if (is_new) entry->second.ticket = next_ticket_++;
  if (!is_new && entry->second.state == State::kTrying) return;
  if (!is_new) Leave(entry);
  entry->second.priority = priority;
  MakeReady(entry, now);
}

void SchedulingQueue::Remove(std::string_view pod) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  Leave(entry);
  pods_.erase(entry);
}

std::optional<std::string> SchedulingQueue::Pop(MonotonicTime now) {
  Flush(now);
  if (ready_.empty()) return std::nullopt;
  const auto first = pods_.find(std::get<2>(*ready_.begin()));
  Leave(first);
  first->second.state = State::kTrying;
  return first->first;
}

void SchedulingQueue::Gate(std::string_view pod, WaitsFor waits_for, MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry != pods_.end()) Wait(entry, std::move(waits_for), now);
}

void SchedulingQueue::Park(std::string_view pod, WaitsFor waits_for, MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  entry->second.failures = 0;
  entry->second.not_before = BackOff(++entry->second.attempts, now);
  Wait(entry, std::move(waits_for), now);
}

void SchedulingQueue::Retry(std::string_view pod, MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  Leave(entry);
  entry->second.not_before = BackOff(++entry->second.failures, now);
  MakeReady(entry, now);
}

void SchedulingQueue::Wake(Cause cause, MonotonicTime now) {
  WakeAll(std::exchange(by_cause_[cause], {}), now);
}

void SchedulingQueue::WakeForClaim(std::string_view claim, MonotonicTime now) {
  const auto pods = by_claim_.find(claim);
  if (pods != by_claim_.end()) WakeAll(pods->second, now);
}

std::optional<MonotonicTime> SchedulingQueue::Next(MonotonicTime now) const {
  if (!ready_.empty()) return now;
  std::optional<MonotonicTime> next;
  if (!backing_off_.empty()) next = backing_off_.begin()->first;
  if (!waiting_.empty()) {
    const MonotonicTime flush = waiting_.begin()->first + options_.patience;
    next = next ? std::min(*next, flush) : flush;
  }
  return next;
}

void SchedulingQueue::MakeReady(Pods::iterator pod, MonotonicTime now) {
  Entry& entry = pod->second;
  if (entry.not_before > now) {
    entry.state = State::kBackingOff;
    backing_off_.emplace(entry.not_before, pod->first);
    return;
  }
  entry.state = State::kReady;
  ready_.emplace(-int64_t{entry.priority}, entry.ticket, pod->first);
}

void SchedulingQueue::Wait(Pods::iterator pod, WaitsFor waits_for, MonotonicTime now) {
  Leave(pod);
  Entry& entry = pod->second;
  entry.state = State::kWaiting;
  entry.since = now;
  entry.waits_for = std::move(waits_for);
  waiting_.emplace(now, pod->first);
  for (const Cause cause : entry.waits_for.causes) by_cause_[cause].insert(pod->first);
  for (const std::string& claim : entry.waits_for.claims) by_claim_[claim].insert(pod->first);
}

void SchedulingQueue::Leave(Pods::iterator pod) {
  Entry& entry = pod->second;
  switch (entry.state) {
    case State::kReady: ready_.erase({-int64_t{entry.priority}, entry.ticket, pod->first}); return;
    case State::kBackingOff: backing_off_.erase({entry.not_before, pod->first}); return;
    case State::kTrying: return;
    case State::kWaiting: break;
  }
  waiting_.erase({entry.since, pod->first});
  for (const Cause cause : entry.waits_for.causes) by_cause_[cause].erase(pod->first);
  for (const std::string& claim : entry.waits_for.claims) {
    const auto pods = by_claim_.find(claim);
    if (pods == by_claim_.end()) continue;
    pods->second.erase(pod->first);
    if (pods->second.empty()) by_claim_.erase(pods);
  }
  entry.waits_for = {};
}

void SchedulingQueue::Flush(MonotonicTime now) {
  while (!backing_off_.empty() && backing_off_.begin()->first <= now) {
    const auto pod = pods_.find(backing_off_.begin()->second);
    Leave(pod);
    MakeReady(pod, now);
  }
  while (!waiting_.empty() && waiting_.begin()->first + options_.patience <= now) {
    const auto pod = pods_.find(waiting_.begin()->second);
    Leave(pod);
    MakeReady(pod, now);
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): Leave edits the set it may come from
void SchedulingQueue::WakeAll(Names pods, MonotonicTime now) {
  for (const std::string& name : pods) {
    const auto pod = pods_.find(name);
    if (pod == pods_.end() || pod->second.state != State::kWaiting) continue;
    Leave(pod);
    MakeReady(pod, now);
  }
}

MonotonicTime SchedulingQueue::BackOff(int count, MonotonicTime now) const {
  std::chrono::nanoseconds delay = options_.backoff_first;
  for (int i = 1; i < count && delay < options_.backoff_longest; ++i) delay *= 2;
  return now + std::min(delay, options_.backoff_longest);
}

}  // namespace dray::scheduler
