// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue/queue.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dray::scheduler::inline queue {
namespace {

/// The namespace of a pod "namespace/name", or of a group "podgroup:namespace/name".
std::string_view OwnerOf(std::string_view pod) {
  const size_t slash = pod.find('/');
  if (slash == std::string_view::npos) return {};
  const size_t colon = pod.find(':');
  const size_t begin = colon < slash ? colon + 1 : 0;
  return pod.substr(begin, slash - begin);
}

}  // namespace

void SchedulingQueue::Add(const std::string& pod,
                          int32_t priority,
                          MonotonicTime now,
                          std::string share) {
  const auto [entry, is_new] = pods_.try_emplace(pod);
  if (is_new) {
    entry->second.ticket = next_ticket_++;
    entry->second.story.came = now;
  }
  if (!is_new && entry->second.state == State::kInFlight) return;
  if (!is_new) Leave(entry);
  entry->second.priority = priority;
  entry->second.share = std::move(share);
  MoveToActiveOrBackoff(entry, now);
}

void SchedulingQueue::Remove(std::string_view pod) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  Leave(entry);
  pods_.erase(entry);
}

std::optional<std::string> SchedulingQueue::Pop(MonotonicTime now) {
  Flush(now);
  Pods::iterator first;
  for (;;) {
    first = TakeFirst();
    if (first == pods_.end()) return std::nullopt;
    if (MayGo(first->second, now)) break;
    first->second.not_before = rests_.find(first->second.share)->second;
    first->second.waits_out = true;
    MoveToActiveOrBackoff(first, now);
  }
  first->second.state = State::kInFlight;
  ++first->second.story.attempts;
  first->second.story.tried = now;
  return first->first;
}

SchedulingQueue::Pods::iterator SchedulingQueue::TakeFirst() {
  if (!active_.empty()) return pods_.find(active_.Pop());
  if (early_.empty()) return pods_.end();
  const auto pod = pods_.find(std::get<std::string>(*early_.begin()));
  Leave(pod);
  return pod;
}

SchedulingQueue::EarlyPlace SchedulingQueue::EarlyPlaceOf(const Pods::value_type& pod) {
  const auto& [name, entry] = pod;
  const auto second = std::chrono::floor<std::chrono::seconds>(entry.not_before.time_since_epoch());
  return {second, -int64_t{entry.priority}, entry.ticket, name};
}

void SchedulingQueue::Charge(std::string_view pod, uint64_t work) {
  active_.Charge(OwnerOf(pod), work);
}

void SchedulingQueue::Gate(std::string_view pod, WaitsFor waits_for, MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  if (entry->second.state == State::kInFlight) --entry->second.story.attempts;
  MoveToUnschedulable(entry, std::move(waits_for), now);
  entry->second.is_gated = true;
  ++gated_;
}

void SchedulingQueue::AddUnschedulable(std::string_view pod,
                                       WaitsFor waits_for,
                                       MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  entry->second.failures = 0;
  entry->second.not_before = BackOff(++entry->second.attempts, now);
  entry->second.waits_out = false;
  MoveToUnschedulable(entry, std::move(waits_for), now);
}

void SchedulingQueue::AddBackoff(std::string_view pod, MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return;
  Leave(entry);
  entry->second.not_before = BackOff(++entry->second.failures, now);
  entry->second.waits_out = true;
  MoveToActiveOrBackoff(entry, now);
}

std::chrono::nanoseconds SchedulingQueue::PutAside(std::string_view pod,
                                                   std::chrono::nanoseconds rest,
                                                   MonotonicTime now) {
  const auto entry = pods_.find(pod);
  if (entry == pods_.end()) return {};
  Leave(entry);
  std::chrono::nanoseconds aside = options_.backoff_initial;
  for (int i = 0; i < entry->second.asides && aside < options_.aside_max; ++i) aside *= 2;
  aside = std::min(aside, options_.aside_max);
  ++entry->second.asides;
  entry->second.ticket = next_ticket_++;  // behind the other pods of its share
  entry->second.not_before = now + aside;
  entry->second.waits_out = true;
  std::erase_if(rests_, [now](const auto& known) { return known.second <= now; });
  if (!entry->second.share.empty()) {
    MonotonicTime& until = rests_[entry->second.share];
    until = std::max(until, now + rest);
  }
  MoveToActiveOrBackoff(entry, now);
  return aside;
}

int SchedulingQueue::TimesAside(std::string_view pod) const {
  const auto entry = pods_.find(pod);
  return entry == pods_.end() ? 0 : entry->second.asides;
}

/// False while the pod's share rests.
bool SchedulingQueue::MayGo(const Entry& entry, MonotonicTime now) const {
  if (entry.share.empty() || rests_.empty()) return true;
  const auto rest = rests_.find(entry.share);
  return rest == rests_.end() || rest->second <= now;
}

void SchedulingQueue::MoveOnEvent(ClusterEvent event, MonotonicTime now) {
  MoveAll(std::exchange(by_event_[event], {}), now);
}

void SchedulingQueue::MoveOnClaimChange(std::string_view claim, MonotonicTime now) {
  const auto pods = by_claim_.find(claim);
  if (pods != by_claim_.end()) MoveAll(pods->second, now);
}

std::optional<MonotonicTime> SchedulingQueue::Next(MonotonicTime now) const {
  if (!active_.empty() || !early_.empty()) return now;
  std::optional<MonotonicTime> next;
  if (!backoff_.empty()) next = backoff_.begin()->first;
  if (!unschedulable_.empty()) {
    const MonotonicTime flush = unschedulable_.begin()->first + options_.unschedulable_max;
    next = next ? std::min(*next, flush) : flush;
  }
  return next;
}

QueueSizes SchedulingQueue::sizes() const {
  return {.active = active_.size(),
          .backoff = backoff_.size(),
          .unschedulable = unschedulable_.size() - gated_,
          .gated = gated_};
}

QueueStory SchedulingQueue::StoryOf(std::string_view pod) const {
  const auto entry = pods_.find(pod);
  return entry == pods_.end() ? QueueStory() : entry->second.story;
}

void SchedulingQueue::MoveToActiveOrBackoff(Pods::iterator pod, MonotonicTime now) {
  Entry& entry = pod->second;
  if (entry.not_before > now) {
    entry.state = State::kBackoff;
    backoff_.emplace(entry.not_before, pod->first);
    if (options_.pops_from_backoff && !entry.waits_out) early_.insert(EarlyPlaceOf(*pod));
    return;
  }
  entry.state = State::kActive;
  active_.Add(entry.priority, entry.ticket, OwnerOf(pod->first), pod->first);
}

void SchedulingQueue::MoveToUnschedulable(Pods::iterator pod,
                                          WaitsFor waits_for,
                                          MonotonicTime now) {
  Leave(pod);
  Entry& entry = pod->second;
  entry.state = State::kUnschedulable;
  entry.since = now;
  entry.waits_for = std::move(waits_for);
  unschedulable_.emplace(now, pod->first);
  for (const ClusterEvent event : entry.waits_for.events) by_event_[event].insert(pod->first);
  for (const std::string& claim : entry.waits_for.claims) by_claim_[claim].insert(pod->first);
}

void SchedulingQueue::Leave(Pods::iterator pod) {
  Entry& entry = pod->second;
  switch (entry.state) {
    case State::kActive: active_.Remove(entry.priority, entry.ticket, OwnerOf(pod->first)); return;
    case State::kBackoff:
      backoff_.erase({entry.not_before, pod->first});
      early_.erase(EarlyPlaceOf(*pod));
      return;
    case State::kInFlight: return;
    case State::kUnschedulable: break;
  }
  if (std::exchange(entry.is_gated, false)) --gated_;
  unschedulable_.erase({entry.since, pod->first});
  for (const ClusterEvent event : entry.waits_for.events) by_event_[event].erase(pod->first);
  for (const std::string& claim : entry.waits_for.claims) {
    const auto pods = by_claim_.find(claim);
    if (pods == by_claim_.end()) continue;
    pods->second.erase(pod->first);
    if (pods->second.empty()) by_claim_.erase(pods);
  }
  entry.waits_for = {};
}

void SchedulingQueue::Flush(MonotonicTime now) {
  while (!backoff_.empty() && backoff_.begin()->first <= now) {
    const auto pod = pods_.find(backoff_.begin()->second);
    Leave(pod);
    MoveToActiveOrBackoff(pod, now);
  }
  while (!unschedulable_.empty() &&
         unschedulable_.begin()->first + options_.unschedulable_max <= now) {
    const auto pod = pods_.find(unschedulable_.begin()->second);
    Leave(pod);
    MoveToActiveOrBackoff(pod, now);
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): Leave edits the set it may come from
void SchedulingQueue::MoveAll(Names pods, MonotonicTime now) {
  for (const std::string& name : pods) {
    const auto pod = pods_.find(name);
    if (pod == pods_.end() || pod->second.state != State::kUnschedulable) continue;
    Leave(pod);
    MoveToActiveOrBackoff(pod, now);
  }
}

MonotonicTime SchedulingQueue::BackOff(int count, MonotonicTime now) const {
  std::chrono::nanoseconds delay = options_.backoff_initial;
  for (int i = 1; i < count && delay < options_.backoff_max; ++i) delay *= 2;
  return now + std::min(delay, options_.backoff_max);
}

}  // namespace dray::scheduler::inline queue
