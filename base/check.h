// SPDX-License-Identifier: Apache-2.0
// DRAY_CHECK: what only a bug can break. Always on, prints and aborts; never on a value that a
// client, a file or the network can choose (those get a Result).
#pragma once

namespace dray {

/// Prints the broken condition with its place to stderr and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace dray

#define DRAY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::dray::CheckFailed(#condition, __FILE__, __LINE__))
