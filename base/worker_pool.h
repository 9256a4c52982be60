// SPDX-License-Identifier: Apache-2.0
// A few threads for work that takes long, so that threads others wait for need not do it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fair_queue.h"

namespace dray {

class WorkerPool {
 public:
  /// Pieces of work that wait, and those of one owner.
  static constexpr size_t kQueueMax = 4096;
  static constexpr size_t kLineMax = 512;

  /// The threads let others go first (base/thread_urgency.h).
  explicit WorkerPool(size_t threads);
  /// Carries out what is queued, then ends.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Carries out `work` on one of the threads, in the order posted. Owners take turns, and one of
  /// them never has all threads, if there are several; what has none comes first. False, and `work`
  /// is gone, when the queue is full, or the owner's line. `work` must not throw. Safe from any
  /// thread.
  [[nodiscard]] bool TryPost(std::move_only_function<void()> work, std::string_view owner = {});

  /// Carries out the rest of what a thread of the pool began for the owner, as TryPost, but before
  /// what else waits in the owner's line, and whether there is room or not. False when closing.
  [[nodiscard]] bool TryPostRest(std::move_only_function<void()> rest, std::string_view owner);

  /// Carries out one piece that is queued, as a thread of the pool would: for simulations, whose
  /// pools have no threads of their own. False: none is queued. From one thread at a time.
  bool RunOne();

  /// Pieces of work that no thread has taken.
  size_t queued() const { return queue_.size(); }
  /// Whether the calling thread is one of the pool's, or stands in RunOne.
  bool in_pool() const;

  /// As many as a machine can run beside the threads that must not wait: 2 to 8.
  static size_t UsualThreads();

 private:
  using Queue = FairQueue<std::move_only_function<void()>>;
  void CarryOut(Queue::Taken work);

  Queue queue_;
  std::vector<std::thread> threads_;
  std::vector<std::thread::id> ids_;    // of `threads_`, also while these are joined
  std::atomic<std::thread::id> guest_;  // the thread in RunOne
};

}  // namespace dray
