// SPDX-License-Identifier: Apache-2.0
// How long random tests run: `make soak` sets DRAY_SOAK=20, and they ask twenty times as many.
// cmake/layer.cmake labels the tests of programs that include this.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace dray {

/// How many instances, where `make test` takes `usual`.
inline uint64_t Instances(uint64_t usual) {
  const char* factor = std::getenv("DRAY_SOAK");  // NOLINT(concurrency-mt-unsafe): one thread
  return usual * (factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10));
}

}  // namespace dray
