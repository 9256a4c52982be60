// SPDX-License-Identifier: Apache-2.0
// Waits for many tasks on one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"

namespace dray {

/// Running tasks, and the thread that waits until all of them are done. That is the thread that
/// begins them; the tasks must not need it.
template <class T>
class Waiting {
 public:
  /// Runs `task` on this thread until it first waits.
  void Begin(Task<T> task) {
    size_t index = 0;
    {
      const MutexLock lock(state_->mutex);
      index = state_->results.size();
      state_->results.emplace_back();
    }
    Start(std::move(task), [state = state_, index](Result<T> value) {
      {
        const MutexLock lock(state->mutex);
        state->results[index].emplace(std::move(value));
        if (++state->done < state->results.size() || !state->all_begun) return;
      }
      state->finished.NotifyOne();
    });
  }

  /// Blocks until all are done. Returns their results, in the order in which they began.
  std::vector<Result<T>> WaitForAll() && {
    std::vector<Result<T>> results;
    const MutexLock lock(state_->mutex);
    state_->all_begun = true;
    while (state_->done < state_->results.size()) state_->finished.Wait(state_->mutex);
    results.reserve(state_->results.size());
    for (auto& result : state_->results) results.push_back(*std::move(result));
    return results;
  }

 private:
  struct State {
    Mutex mutex;
    Condition finished;
    std::deque<std::optional<Result<T>>> results DRAY_GUARDED_BY(mutex);
    size_t done DRAY_GUARDED_BY(mutex) = 0;
    bool all_begun DRAY_GUARDED_BY(mutex) = false;
  };
  // Shared, because it must live until it has been notified. The notification comes after
  // unlocking, because the woken thread takes the lock at once.
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace dray
