// SPDX-License-Identifier: Apache-2.0
#include "base/thread_urgency.h"

#include <cstdint>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dray {
namespace {

// The kernel's struct sched_attr of sched_setattr(2); glibc has it since 2.41.
struct SchedulingAttributes {
  uint32_t size = sizeof(SchedulingAttributes);
  uint32_t policy = SCHED_OTHER;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // of SCHED_OTHER: the slice in nanoseconds; 0: the default
  uint64_t deadline = 0;
  uint64_t period = 0;
};

// The shortest slice that the kernel accepts; the default is about three milliseconds. If two
// threads have equal claims to a processor, the kernel runs the one with the shorter slice first,
// and at once.
constexpr uint64_t kShortSlice = 100'000;

// Each step of niceness reduces the weight by a fifth, so 5 steps leave a third.
constexpr int kNicer = 5;

}  // namespace

void GoSoonAfterWaking() {
  const SchedulingAttributes wanted{.nice = getpriority(PRIO_PROCESS, 0), .runtime = kShortSlice};
  syscall(SYS_sched_setattr, 0, &wanted, 0);  // a kernel that refuses it changes nothing
}

void LetOthersGoFirst() {
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNicer);  // of this thread
}

}  // namespace dray
