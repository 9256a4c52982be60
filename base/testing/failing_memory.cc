// SPDX-License-Identifier: Apache-2.0
#include "base/testing/failing_memory.h"

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

namespace dray::testing {
namespace {

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): operator new has no object
thread_local int allocations_left = -1;
thread_local bool has_failed = false;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

// NOLINTBEGIN(cppcoreguidelines-owning-memory,cppcoreguidelines-no-malloc): that is what they are

// Returns null when there is no memory, or when the allocation is to fail.
[[maybe_unused]] void* TryToAllocate(size_t size) noexcept {
  if (allocations_left == 0) {
    allocations_left = -1;
    has_failed = true;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}

[[maybe_unused]] void* Allocate(size_t size) {
  void* const memory = TryToAllocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::string_view WhyAllocationsSucceed() {
#if __has_feature(thread_sanitizer)
  return "ThreadSanitizer has an operator new of its own";
#else
  return {};
#endif
}

void FailAllocationAfter(int successes) {
  allocations_left = successes;
}

int AllocationsLeft() {
  return allocations_left;
}

bool TakeAllocationFailed() {
  return std::exchange(has_failed, false);
}

}  // namespace dray::testing

#if !__has_feature(thread_sanitizer)
void* operator new(size_t size) {
  return dray::testing::Allocate(size);
}
void* operator new[](size_t size) {
  return dray::testing::Allocate(size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {  // used by std::stable_sort
  return dray::testing::TryToAllocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return dray::testing::TryToAllocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}
#endif
// NOLINTEND(cppcoreguidelines-owning-memory,cppcoreguidelines-no-malloc)
