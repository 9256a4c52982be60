// SPDX-License-Identifier: Apache-2.0
// Memory that cannot be had. Nothing of ours throws, the library's allocators do (std::bad_alloc):
// whoever owns a thread catches that where it can go on, so that it ends one piece of work and not
// the process.
#pragma once

#include <new>
#include <utility>

#include "base/result.h"

namespace dray {

/// Runs `work`; false if it ended early because an allocation failed.
template <class F>
[[nodiscard]] bool HadMemory(F&& work) {
  try {
    std::forward<F>(work)();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// The error of what was not done for want of memory. Making it needs none.
inline Error OutOfMemory() {
  return {.reason = StatusReason::kServiceUnavailable, .message = "out of memory"};
}

}  // namespace dray
