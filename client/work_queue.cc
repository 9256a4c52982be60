// SPDX-License-Identifier: Apache-2.0
#include "client/work_queue.h"

#include <algorithm>
#include <utility>

namespace dray::client {

bool WorkQueue::Add(const std::string& key) {
  if (ready_set_.contains(key)) return true;
  DropDelay(key);
  if (size() >= options_.keys_max) return false;
  MakeReady(key);
  return true;
}

bool WorkQueue::AddAt(const std::string& key, MonotonicTime when) {
  if (ready_set_.contains(key)) return true;
  const auto due = due_.find(key);
  if (due != due_.end() && due->second <= when) return true;
  DropDelay(key);
  if (size() >= options_.keys_max) return false;
  due_[key] = when;
  delayed_.emplace(when, key);
  return true;
}

bool WorkQueue::AddRateLimited(const std::string& key, MonotonicTime now) {
  int& failures = failures_[key];
  // 2^40 times any first delay is past every longest one.
  constexpr int kDoublingsMax = 40;
  std::chrono::nanoseconds delay = options_.base_delay;
  for (int i = 0; i < failures && delay < options_.max_delay; ++i) delay *= 2;
  failures = std::min(failures + 1, kDoublingsMax);
  metrics_.retries.Add();
  return AddAt(key, now + std::min(delay, options_.max_delay));
}

void WorkQueue::Forget(std::string_view key) {
  const auto failures = failures_.find(key);
  if (failures != failures_.end()) failures_.erase(failures);
}

std::optional<std::string> WorkQueue::Pop(MonotonicTime now) {
  MoveDue(now);
  if (ready_.empty()) return std::nullopt;
  std::string key = std::move(ready_.front());
  ready_.pop_front();
  ready_set_.erase(key);
  metrics_.depth.Set(static_cast<double>(ready_.size()));
  return key;
}

std::optional<MonotonicTime> WorkQueue::Next(MonotonicTime now) const {
  if (!ready_.empty()) return now;
  if (delayed_.empty()) return std::nullopt;
  return std::max(now, delayed_.begin()->first);
}

void WorkQueue::MoveDue(MonotonicTime now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    std::string key = delayed_.begin()->second;
    delayed_.erase(delayed_.begin());
    due_.erase(key);
    MakeReady(std::move(key));
  }
}

void WorkQueue::MakeReady(std::string key) {
  ready_set_.insert(key);
  ready_.push_back(std::move(key));
  metrics_.adds.Add();
  metrics_.depth.Set(static_cast<double>(ready_.size()));
}

void WorkQueue::DropDelay(const std::string& key) {
  const auto due = due_.find(key);
  if (due == due_.end()) return;
  delayed_.erase({due->second, key});
  due_.erase(due);
}

}  // namespace dray::client
