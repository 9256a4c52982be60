// SPDX-License-Identifier: Apache-2.0
// What all measurements of stores share: time, chance, keys and values.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"

namespace dray::bench {

inline MonotonicTime Now() {
  return RealWorld().clock.Monotonic();
}

inline double SecondsSince(MonotonicTime begin) {
  return std::chrono::duration<double>(Now() - begin).count();
}

inline double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// As a server makes them: "/registry/resourceclaims/namespace-7/claim-0000123".
inline std::string KeyOf(uint64_t number) {
  return fmt::format("/registry/resourceclaims/namespace-{}/claim-{:07}", number % 50, number);
}

/// "ok" or "MISSED", with the bar.
inline std::string Against(bool is_met, std::string_view bar) {
  return fmt::format("(bar: {}{})", bar, is_met ? "" : ": MISSED");
}

}  // namespace dray::bench
