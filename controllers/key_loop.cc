// SPDX-License-Identifier: Apache-2.0
#include "controllers/key_loop.h"

#include <utility>

#include "client/queue_metrics.h"

namespace dray::controllers {

void KeyLoop::CountIn(metrics::Registry& registry, std::string_view name) {
  queue_.CountIn(client::MakeQueueMetrics(registry, name));
}

void KeyLoop::Add(const std::string& key) {
  Note(queue_.Add(key));
}

void KeyLoop::AddAt(const std::string& key, MonotonicTime when) {
  Note(queue_.AddAt(key, when));
}

bool KeyLoop::MustStartOver() {
  return queue_.size() == 0 && std::exchange(lacked_room_, false);
}

std::vector<std::string> KeyLoop::Take() {
  std::vector<std::string> keys;
  while (keys.size() < options_.keys_per_step) {
    std::optional<std::string> key = queue_.Pop(options_.clock.Monotonic());
    if (!key) break;
    keys.push_back(*std::move(key));
  }
  return keys;
}

void KeyLoop::Finish(const std::string& key, const Result<>& done) {
  if (done || IsMissing(done.error())) return queue_.Forget(key);
  options_.log.Debug(options_.failed, "key", key, "reason", done.error().message);
  Note(queue_.AddRateLimited(key, options_.clock.Monotonic()));
}

std::optional<MonotonicTime> KeyLoop::Next() const {
  return queue_.Next(options_.clock.Monotonic());
}

}  // namespace dray::controllers
