// SPDX-License-Identifier: Apache-2.0
// The loop of a controller that reconciles objects by key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/work_queue.h"
#include "metrics/registry.h"

namespace dray::controllers {

/// How many keys a controller handles in one step.
inline constexpr size_t kKeysPerStep = 32;
/// How many events it sends in one step.
inline constexpr size_t kEventsPerStep = 16;

inline bool IsMissing(const Error& error) {
  return error.reason == StatusReason::kNotFound;
}

/// The keys that a controller has to reconcile. A key that failed is tried again after a growing
/// delay. When the queue has no room for a key, the controller starts over from its informers. One
/// thread owns it.
class KeyLoop {
 public:
  struct Options {
    const Clock& clock;  // outlives the loop
    Log log;
    /// Begins the line of the log about a key that failed. A literal.
    std::string_view failed;
    size_t keys_per_step = kKeysPerStep;
    client::WorkQueue::Options queue = {};
  };

  explicit KeyLoop(Options options) : options_(std::move(options)), queue_(options_.queue) {}

  /// Before the first key: `/metrics` has the queue under the name that upstream gives it.
  /// `registry` outlives the loop.
  void CountIn(metrics::Registry& registry, std::string_view name);

  /// Makes `key` ready.
  void Add(const std::string& key);
  /// Makes `key` ready at `when`, or earlier if it was due earlier.
  void AddAt(const std::string& key, MonotonicTime when);

  /// Whether a key found no room since the last call, and the queue is empty now. The caller then
  /// adds all keys again.
  bool MustStartOver();

  /// Calls `sync(key)`, which returns Result<>, for up to `keys_per_step` keys that are ready, and
  /// finishes each.
  template <class Sync>
  void Handle(const Sync& sync) {
    for (size_t i = 0; i < options_.keys_per_step; ++i) {
      const MonotonicTime begin = options_.clock.Monotonic();
      const std::optional<std::string> key = queue_.Pop(begin);
      if (!key) return;
      const Result<> done = sync(*key);
      queue_.ObserveWork(options_.clock.Monotonic() - begin);
      Finish(*key, done);
    }
  }

  /// For a controller that reconciles keys side by side: up to `keys_per_step` keys that are ready,
  /// each once. The caller finishes each.
  std::vector<std::string> Take();
  /// Success and kNotFound forget the failures of the key. Any other error adds it again after its
  /// delay and is logged at debug level.
  void Finish(const std::string& key, const Result<>& done);

  /// When Handle has something to do next: now if at once, nothing when no key waits.
  std::optional<MonotonicTime> Next() const;

 private:
  void Note(bool had_room) { lacked_room_ = lacked_room_ || !had_room; }

  Options options_;
  client::WorkQueue queue_;
  bool lacked_room_ = false;
};

}  // namespace dray::controllers
