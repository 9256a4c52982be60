// SPDX-License-Identifier: Apache-2.0
// DRAY_CHECK: a condition that only a bug can break. Always on; prints and aborts. Never use it on
// a value that a client, a file or the network can choose; return a Result for those.
#pragma once

namespace dray {

/// Prints the broken condition and its location to stderr and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace dray

#define DRAY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::dray::CheckFailed(#condition, __FILE__, __LINE__))
