// SPDX-License-Identifier: Apache-2.0
// How long random tests run: `make soak` sets DRAY_SOAK=20, and they ask twenty times as many.
// cmake/layer.cmake labels the tests of programs that include this.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace dray {

/// How many instances, where `make test` takes `usual` and a soak, for each of its twenty,
/// `in_soak`: more where the first few find what a fault would be.
inline uint64_t Instances(uint64_t usual, uint64_t in_soak) {
  const char* factor = std::getenv("DRAY_SOAK");  // NOLINT(concurrency-mt-unsafe): one thread
  return factor == nullptr ? usual : in_soak * std::strtoull(factor, nullptr, 10);
}
inline uint64_t Instances(uint64_t usual) {
  return Instances(usual, usual);
}

}  // namespace dray
