// SPDX-License-Identifier: Apache-2.0
#include "bench/store/memory.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "base/check.h"
#include "base/simulated_world.h"
#include "base/testing/instruction_counter.h"
#include "bench/store/figures.h"
#include "store/memory_store.h"
#include "store/store.h"

namespace dray::bench {
namespace {

/// Bytes in use, including large blocks.
size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

void MeasureMemory() {
  const size_t before = BytesInUse();
  store::Options limits;
  limits.events_max = 1;
  store::MemoryStore store(limits);
  std::vector<uint64_t> order;
  order.reserve(kKeys);
  for (uint64_t i = 0; i < kKeys; ++i) order.push_back(i);
  SeededRandom random(1);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Next() % i]);
  const size_t orders = order.capacity() * sizeof(uint64_t);
  const std::string value(kValueBytes, 'v');
  const testing::InstructionCounter counter(0);
  const uint64_t instructions = counter.Read().value_or(0);
  for (const uint64_t key : order) DRAY_CHECK(store.CommitAndWait(PutOf(key, value)).has_value());
  const uint64_t taken = counter.Read().value_or(0) - instructions;
  const double each = static_cast<double>(BytesInUse() - before - orders) / kKeys;
  const double more = each - static_cast<double>(kValueBytes);
  fmt::print("memory of a live key: its value and {:.0f} B, of which {} are the key {}\n",
             more,
             KeyOf(1).size(),
             Against(more <= 200, "200 B"));
  fmt::print("a commit in memory, up to {} keys: {} instructions\n", kKeys, taken / kKeys);
}

}  // namespace dray::bench
