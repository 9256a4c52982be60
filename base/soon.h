// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <utility>
#include <variant>

#include "base/result.h"
#include "base/task.h"

namespace dray {

/// A result that is there already, or a task that has yet to make it: what a function returns that
/// rarely has to wait. Awaiting a result that is there neither suspends nor allocates.
template <class T = void>
class [[nodiscard]] Soon {
 public:
  // NOLINTBEGIN(google-explicit-constructor): both are what `return` has
  Soon(Result<T> result) : state_(std::move(result)) {}
  Soon(Task<T> task) : state_(std::move(task)) {}
  // NOLINTEND(google-explicit-constructor)

  bool await_ready() const noexcept { return std::holds_alternative<Result<T>>(state_); }
  auto await_suspend(std::coroutine_handle<> caller) noexcept {
    return std::get<Task<T>>(state_).await_suspend(caller);
  }
  Result<T> await_resume() {
    if (auto* result = std::get_if<Result<T>>(&state_)) return std::move(*result);
    return std::get<Task<T>>(state_).await_resume();
  }

 private:
  std::variant<Result<T>, Task<T>> state_;
};

}  // namespace dray
