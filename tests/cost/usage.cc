// SPDX-License-Identifier: Apache-2.0
#include "tests/cost/usage.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

#include "base/testing/instruction_counter.h"

namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): operators have no object
std::atomic<uint64_t> allocations = 0;
std::atomic<uint64_t> allocated = 0;
std::atomic<int64_t> held = 0;
std::atomic<int64_t> held_most = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void* Counted(void* memory, size_t size) {
  if (memory == nullptr) std::abort();
  const auto usable = static_cast<int64_t>(malloc_usable_size(memory));
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated.fetch_add(size, std::memory_order_relaxed);
  const int64_t now = held.fetch_add(usable, std::memory_order_relaxed) + usable;
  int64_t most = held_most.load(std::memory_order_relaxed);
  while (now > most && !held_most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
  return memory;
}

void Release(void* memory) {
  if (memory == nullptr) return;
  held.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory): that is what they are
void* operator new(size_t size) {
  return Counted(std::malloc(size == 0 ? 1 : size), size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {  // of std::stable_sort
  return Counted(std::malloc(size == 0 ? 1 : size), size);
}
void* operator new(size_t size, std::align_val_t alignment) {
  const auto align = static_cast<size_t>(alignment);
  return Counted(std::aligned_alloc(align, (size + align - 1) / align * align), size);
}
void operator delete(void* memory) noexcept {
  Release(memory);
}
void operator delete(void* memory, size_t /*size*/) noexcept {
  Release(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  Release(memory);
}
void operator delete(void* memory, size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  Release(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)

namespace dray::cost {
Usage Measure(const std::function<void()>& run) {
  static const testing::InstructionCounter kCounter(0);
  const uint64_t allocations_before = allocations;
  const uint64_t allocated_before = allocated;
  const int64_t held_before = held;
  held_most = held_before;
  const std::optional<uint64_t> instructions_before = kCounter.Read();
  run();
  const std::optional<uint64_t> instructions = kCounter.Read();
  Usage usage{.allocations = allocations - allocations_before,
              .allocated = allocated - allocated_before,
              .peak = static_cast<uint64_t>(held_most - held_before),
              .instructions = {}};
  // A counter that stands still counts nothing: some virtual machines have one.
  if (instructions.has_value() && *instructions > *instructions_before) {
    usage.instructions = *instructions - *instructions_before;
  }
  return usage;
}

}  // namespace dray::cost
