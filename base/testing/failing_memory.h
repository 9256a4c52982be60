// SPDX-License-Identifier: Apache-2.0
// An operator new that fails when a test says so. A program that links failing_memory.cc has it
// instead of the usual one; elsewhere these names are not defined.
#pragma once

#include <string_view>

namespace dray::testing {

/// Empty where allocations can be made to fail; else why tests of that are skipped.
std::string_view WhyAllocationsSucceed();

/// As many allocations of this thread as that succeed, and the one after them fails, once.
/// Less than zero: all succeed.
void FailAllocationAfter(int successes);

/// What is left of it: the number to give back after work that shall not be counted.
int AllocationsLeft();

/// Whether an allocation of this thread failed since the last call.
bool TakeAllocationFailed();

/// While it lives, what this thread allocates succeeds and is not counted.
class AllocationsNotCounted {
 public:
  AllocationsNotCounted() : left_(AllocationsLeft()) { FailAllocationAfter(-1); }
  AllocationsNotCounted(const AllocationsNotCounted&) = delete;
  AllocationsNotCounted& operator=(const AllocationsNotCounted&) = delete;
  ~AllocationsNotCounted() { FailAllocationAfter(left_); }

 private:
  const int left_;
};

}  // namespace dray::testing
