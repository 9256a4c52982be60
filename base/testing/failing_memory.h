// SPDX-License-Identifier: Apache-2.0
// An operator new that fails when a test wants it to. It replaces the usual one in programs that
// link failing_memory.cc; other programs must not use this header.
#pragma once

#include <string_view>

namespace dray::testing {

/// Why tests of failing allocations are skipped; empty where allocations can be made to fail.
std::string_view WhyAllocationsSucceed();

/// Lets `successes` more allocations of this thread succeed, and makes the next one fail, once.
/// Less than zero: all succeed.
void FailAllocationAfter(int successes);

/// The remaining number of successes, to be restored after work that must not be counted.
int AllocationsLeft();

/// Whether an allocation of this thread failed since the last call.
bool TakeAllocationFailed();

/// During its lifetime, allocations of this thread succeed and are not counted.
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
