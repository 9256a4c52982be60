// SPDX-License-Identifier: Apache-2.0
// Counts the cost of running code: allocated memory and instructions. Counts do not depend on the
// load of the machine, so tests can assert on them.
//
// A program that links usage.cc has an operator new of its own, which counts. Memory of libraries
// in C (libyaml, zlib) does not pass through it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace dray::cost {

struct Usage {
  uint64_t allocations = 0;
  uint64_t allocated = 0;  // bytes, all in all
  uint64_t peak = 0;       // bytes held at one time, more than before
  /// In user code, of all threads that were started after the first call; absent where the kernel
  /// does not count them.
  std::optional<uint64_t> instructions;
};

/// Runs `run` once. Only one thread at a time may call this.
Usage Measure(const std::function<void()>& run);

}  // namespace dray::cost
