// SPDX-License-Identifier: Apache-2.0
// An instant, as a value. Clocks are in base/world.h.
#pragma once

#include <chrono>

namespace dray {

/// Nanoseconds since the Unix epoch, UTC.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

}  // namespace dray
