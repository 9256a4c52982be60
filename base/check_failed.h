// SPDX-License-Identifier: Apache-2.0
// What DRAY_CHECK (base/check.h) calls, for headers that may not define or use a macro.
#pragma once

namespace dray {

/// Prints the broken condition and its location to stderr and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace dray
