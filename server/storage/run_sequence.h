// SPDX-License-Identifier: Apache-2.0
// Runs requests one after the other so that their writes become one sequence.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "server/storage/write_sequence.h"

namespace dray::server::storage {

/// The state of one RunSequence, shared by its task and the requests that have not ended.
template <class T>
struct SequenceRun {
  SequenceRun(store::Store& store, size_t count)
      : sequence(store), answers(count), running(count + 1) {}

  /// The last of the requests, and of the task that runs them, calls `all_ended`.
  void EndOne() {
    if (running.fetch_sub(1) == 1) std::exchange(all_ended, nullptr)();
  }

  WriteSequence sequence;
  std::vector<Result<T>> answers;
  std::atomic<size_t> running;
  std::move_only_function<void()> all_ended;
};

/// Runs the tasks `begin(0, &sequence)` … `begin(count - 1, &sequence)`. A task begins when the
/// write of the one before it waits in the sequence, or when that task has ended. If all writes
/// wait then, they are carried out together; else all are refused. Answers in the same order.
///
/// The first task begins on the calling thread, each later one there or where the one before it
/// added its step or ended.
template <class T, class Begin>
Task<std::vector<Result<T>>> RunSequence(store::Store* store, size_t count, Begin begin) {
  const auto run = std::make_shared<SequenceRun<T>>(*store, count);
  // If a task cannot start for want of memory, this ends those that already wait.
  struct AtEnd {
    explicit AtEnd(SequenceRun<T>& ended) : run(ended) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() { run.sequence.Refuse(); }

    SequenceRun<T>& run;
  };
  const AtEnd at_end(*run);
  for (size_t i = 0; i < count; ++i) {
    co_await FromCallback<bool>([&](auto go_on) {
      run->sequence.OnNext([go_on]() mutable { go_on(true); });
      Start(begin(i, &run->sequence), [run, i](Result<T> answer) {
        run->answers[i] = std::move(answer);
        run->sequence.Skip();
        run->EndOne();
      });
    });
  }
  if (run->sequence.size() == count) {
    run->sequence.CarryOut();
  } else {
    run->sequence.Refuse();
  }
  co_await FromCallback<bool>([&](auto go_on) {
    run->all_ended = [go_on]() mutable { go_on(true); };
    run->EndOne();
  });
  co_return std::move(run->answers);
}

}  // namespace dray::server::storage
