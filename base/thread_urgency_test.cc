// SPDX-License-Identifier: Apache-2.0
#include "base/thread_urgency.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dray {
namespace {

/// The slice of the calling thread in nanoseconds; 0: the kernel does not report it.
uint64_t SliceOfThisThread() {
  constexpr size_t kPlaceOfRuntime = 24;  // offset in struct sched_attr
  std::array<char, 48> attributes{};
  if (syscall(SYS_sched_getattr, 0, attributes.data(), attributes.size(), 0) != 0) return 0;
  uint64_t slice = 0;
  std::memcpy(&slice, attributes.data() + kPlaceOfRuntime, sizeof slice);
  return slice;
}

TEST(ThreadUrgency, AThreadThatOthersWaitForHasAShortSlice) {
  const uint64_t usual = SliceOfThisThread();
  if (usual == 0) GTEST_SKIP() << "this kernel knows no slices";
  uint64_t slice = 0;
  int nice = 0;
  std::thread([&] {
    GoSoonAfterWaking();
    slice = SliceOfThisThread();
    nice = getpriority(PRIO_PROCESS, 0);
  }).join();
  EXPECT_EQ(slice, 100'000U);
  EXPECT_EQ(nice, getpriority(PRIO_PROCESS, 0)) << "its share stays the same";
  EXPECT_EQ(SliceOfThisThread(), usual) << "only that thread";
}

TEST(ThreadUrgency, AThreadThatComputesIsNicer) {
  const int usual = getpriority(PRIO_PROCESS, 0);
  int nice = 0;
  std::thread([&] {
    LetOthersGoFirst();
    nice = getpriority(PRIO_PROCESS, 0);
  }).join();
  EXPECT_EQ(nice, std::min(usual + 5, 19));
}

}  // namespace
}  // namespace dray
