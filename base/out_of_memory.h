// SPDX-License-Identifier: Apache-2.0
// What happens when an allocation fails (std::bad_alloc).
//
// Requests and the thread that commits survive: a task ends with an error (base/task.h), and the
// places that call RanOutOfMemory continue with other work. Everywhere else nothing catches it, and
// the process ends with one line: what was answered is stored, and the next start continues there
// (docs/design/server.md).
#pragma once

#include <new>
#include <utility>

#include "base/result.h"

namespace dray {

/// Runs `work`; true if it ended early because an allocation failed.
template <class F>
[[nodiscard]] bool RanOutOfMemory(F&& work) {
  try {
    std::forward<F>(work)();
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

/// The error of what was not done because an allocation failed. Making it allocates nothing.
inline Error OutOfMemory() {
  return {.reason = StatusReason::kServiceUnavailable, .message = "out of memory"};
}

/// Ends the process with one line on stderr. Allocates nothing.
[[noreturn]] void EndOutOfMemory();

/// From now on a std::bad_alloc that nothing catches, on any thread, is EndOutOfMemory. Call it
/// once, first thing in main.
void EndOutOfMemoryWhenUncaught();

}  // namespace dray
