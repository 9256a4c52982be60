// SPDX-License-Identifier: Apache-2.0
// Task<T>: a coroutine that yields a Result<T>.
//
// Lazy: it runs when awaited or started. It has no executor: it continues on the thread that calls
// back (see FromCallback). Asio's awaitable would do the same, but its headers cost every file that
// names a task two seconds of compiling.
//
// Rules that keep coroutines safe: parameters are values, or pointers to objects that outlive the
// task; lambdas that are coroutines capture nothing; no lock is held across co_await.
#pragma once

#include <atomic>
#include <coroutine>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dray {

template <class T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<Result<T>> result;
    std::coroutine_handle<> continuation = std::noop_coroutine();

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct ToContinuation {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle done) noexcept {
          return done.promise().continuation;
        }
        void await_resume() noexcept {}
      };
      return ToContinuation{};
    }
    // Not inline, because a coroutine has many ends, and moving its value takes much code.
    [[gnu::noinline]] void return_value(Result<T> value) { result.emplace(std::move(value)); }
    [[gnu::noinline]] void return_value(Failure failure) { result.emplace(std::move(failure)); }
    // Dray's code does not throw. The library does when there is no memory, and that ends this
    // task.
    void unhandled_exception() {
      try {
        throw;
      } catch (const std::bad_alloc&) {
        result.emplace(Fail(StatusReason::kInternalError, "out of memory"));
      } catch (...) {
        CheckFailed("nothing of ours throws", __FILE__, __LINE__);
      }
    }
  };
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Awaiting runs the task and continues the caller when it is done, without recursion.
  bool await_ready() const noexcept { return false; }
  Handle await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().continuation = caller;
    return handle_;
  }
  // The result exists, because the task has run to its end.
  Result<T> await_resume() { return *std::move(handle_.promise().result); }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

/// Awaits an answer that comes through a callback. `start` gets the callback and must call it
/// exactly once, at once or later, on any thread; the coroutine continues on that thread.
///
///   Result<Revision> revision = co_await FromCallback<Result<Revision>>([&](auto done) { … });
template <class T, class F>
auto FromCallback(F start) {
  struct Awaiter {
    F start;
    std::optional<T> value = std::nullopt;
    std::atomic<bool> one_side_done = false;  // set by the first of two events: start returned,
                                              // callback called

    explicit Awaiter(F f) : start(std::move(f)) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> caller) {
      start([this, caller](T answer) {
        value.emplace(std::move(answer));
        if (one_side_done.exchange(true)) caller.resume();
      });
      return !one_side_done.exchange(true);  // false: answered already, so continue without
                                             // suspending
    }
    // The value exists, because both events have happened.
    T await_resume() { return *std::move(value); }
  };
  return Awaiter(std::move(start));
}

/// The return type of Start(): a coroutine that destroys itself at its end. Callers ignore it.
struct DetachedTask {
  struct promise_type {
    DetachedTask get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { CheckFailed("nothing of ours throws", __FILE__, __LINE__); }
  };
};

/// Runs `task` on this thread until it first waits. `done` gets its result, on the thread where it
/// ends.
template <class T, class F>
DetachedTask Start(Task<T> task, F done) {
  done(co_await std::move(task));
}

/// Runs `task` and blocks until it is done. Never call it on a thread that the task itself needs.
template <class T>
Result<T> Wait(Task<T> task) {
  struct Waiting {
    Mutex mutex;
    Condition finished;
    std::optional<Result<T>> result;
  };
  // Shared, because it must live until it has been notified. The notification comes after
  // unlocking, because the woken thread takes the lock at once.
  const auto waiting = std::make_shared<Waiting>();
  Start(std::move(task), [waiting](Result<T> value) {
    {
      const MutexLock lock(waiting->mutex);
      waiting->result.emplace(std::move(value));
    }
    waiting->finished.NotifyOne();
  });
  const MutexLock lock(waiting->mutex);
  while (!waiting->result) waiting->finished.Wait(waiting->mutex);
  return *std::move(waiting->result);
}

}  // namespace dray
