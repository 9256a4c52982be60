// SPDX-License-Identifier: Apache-2.0
// The length of random tests: `make soak` sets DRAY_SOAK=20, and they run twenty times as many
// instances. cmake/layer.cmake labels the tests of programs that include this.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace dray {

/// The number of instances: `usual` for `make test`, and `in_soak` for each of the twenty rounds of
/// a soak. Choose `in_soak` so that it is larger if a fault shows only after many instances.
inline uint64_t Instances(uint64_t usual, uint64_t in_soak) {
  const char* factor = std::getenv("DRAY_SOAK");  // NOLINT(concurrency-mt-unsafe): one thread
  return factor == nullptr ? usual : in_soak * std::strtoull(factor, nullptr, 10);
}
inline uint64_t Instances(uint64_t usual) {
  return Instances(usual, usual);
}

}  // namespace dray
