// SPDX-License-Identifier: Apache-2.0
// The turn of a controller that reconciles objects by key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/work_queue.h"

namespace dray::controllers {

/// How many keys a controller handles in one step.
inline constexpr size_t kKeysPerStep = 32;
/// How many events it sends in one step.
inline constexpr size_t kEventsPerStep = 16;

inline bool IsMissing(const Error& error) {
  return error.reason == StatusReason::kNotFound;
}

/// What a controller says of its turn: how many keys at most, and what the log calls one that
/// failed.
struct KeyTurn {
  const Clock& clock;
  size_t most = 0;
  const Log& log;
  std::string_view what;
};

/// Calls `sync(key)`, which returns Result<>, for up to `most` keys that are ready. Success, and
/// kNotFound, forget the failures of the key; any other error requeues it after its delay and is
/// logged at debug level, beginning with `what`. False when the queue had no room for that: the
/// caller starts over from its informers.
template <class Sync>
bool HandleKeys(client::WorkQueue& queue, const KeyTurn& turn, const Sync& sync) {
  bool has_room = true;
  for (size_t i = 0; i < turn.most; ++i) {
    const MonotonicTime now = turn.clock.Monotonic();
    const std::optional<std::string> key = queue.Pop(now);
    if (!key) break;
    const Result<> done = sync(*key);
    queue.ObserveWork(turn.clock.Monotonic() - now);
    if (done || IsMissing(done.error())) {
      queue.Forget(*key);
      continue;
    }
    turn.log.Debug(turn.what, "key", *key, "reason", done.error().message);
    has_room = queue.AddRateLimited(*key, now) && has_room;
  }
  return has_room;
}

}  // namespace dray::controllers
