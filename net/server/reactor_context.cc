// SPDX-License-Identifier: Apache-2.0
#include "net/server/reactor_context.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dray::net::server {

uint64_t ReactorContext::TicksIn(std::chrono::milliseconds timeout) const {
  const int64_t length = std::max<int64_t>(options.tick.count(), 1);
  const int64_t ticks = (std::max<int64_t>(timeout.count(), 0) + length - 1) / length;
  return static_cast<uint64_t>(ticks);
}

uint64_t ReactorContext::TickAfter(std::chrono::milliseconds timeout) const {
  return tick + TicksIn(timeout) + 1;
}

}  // namespace dray::net::server
