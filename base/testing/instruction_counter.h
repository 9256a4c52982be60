// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: the number of instructions that threads executed, as the kernel counts
// them. Unlike time, it is the same on a busy machine.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace dray::testing {

/// Counts the user-space instructions of a thread, and of threads that it starts later, from the
/// creation of the counter on.
class InstructionCounter {
 public:
  /// `thread`: its id; 0 for the calling thread.
  explicit InstructionCounter(pid_t thread) {
    perf_event_attr wanted{};
    wanted.type = PERF_TYPE_HARDWARE;
    wanted.size = sizeof wanted;
    wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
    wanted.inherit = 1;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, thread, -1, -1, 0));
  }
  InstructionCounter(InstructionCounter&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  InstructionCounter& operator=(InstructionCounter&&) = delete;
  ~InstructionCounter() {
    if (file_ >= 0) close(file_);
  }

  /// Returns nothing where the kernel does not count. Some virtual machines have a counter that
  /// never changes.
  std::optional<uint64_t> Read() const {
    uint64_t count = 0;
    if (file_ < 0 || read(file_, &count, sizeof count) != sizeof count) return std::nullopt;
    return count;
  }

 private:
  int file_ = -1;
};

}  // namespace dray::testing
