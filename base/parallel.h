// SPDX-License-Identifier: Apache-2.0
// One loop on all processors, for programs that have nothing else to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace dray {

/// Limit of the threads of one loop.
inline constexpr size_t kParallelThreadsMax = 8;

/// Calls `body(begin, end)` for pieces of 0 … count-1 of at most `piece` each, in any order, on as
/// many threads as there are processors, including the calling one. Returns when all calls have
/// returned. The calls must not write to the same objects. Starts no thread if there is only one
/// piece.
template <class Body>
void InParallel(size_t count, size_t piece, const Body& body) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t begin = next.fetch_add(piece); begin < count; begin = next.fetch_add(piece))
      body(begin, std::min(begin + piece, count));
  };
  const size_t pieces = (count + piece - 1) / piece;
  const size_t processors = std::max<size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min({pieces, processors, kParallelThreadsMax}); ++i)
    others.emplace_back(work);
  work();
}

}  // namespace dray
