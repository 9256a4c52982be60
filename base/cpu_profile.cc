// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_profile.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <span>

#include <execinfo.h>
#include <sys/time.h>

namespace dray {
namespace {

constexpr size_t kFramesMax = 30;
constexpr size_t kFramesOfHandler = 2;  // the handler, and the kernel's trampoline

struct Sample {
  uint32_t count = 0;
  std::array<void*, kFramesMax> frames{};
};

/// The state for the signal handler, which has no arguments for it.
struct Sampling {
  std::unique_ptr<Sample[]> samples;  // NOLINT(cppcoreguidelines-avoid-c-arrays): left as it is
  std::atomic<size_t> next = 0;
  std::atomic<size_t> handlers = 0;  // handlers that are running
  std::atomic<bool> is_on = false;
};
std::atomic<bool> is_taken = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
Sampling sampling;                   // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Calls only functions that are safe in a signal handler. The unwinder was loaded before, and
/// takes no lock.
void TakeSample(int /*signal*/) {
  const int kept = errno;
  sampling.handlers.fetch_add(1);
  if (sampling.is_on.load()) {
    const size_t index = sampling.next.fetch_add(1);
    if (index < kCpuSamplesMax) {
      Sample& sample = sampling.samples[index];
      const int count = backtrace(sample.frames.data(), kFramesMax);
      sample.count = static_cast<uint32_t>(std::max(count, 0));
    }
  }
  sampling.handlers.fetch_sub(1);
  errno = kept;
}

bool SetTimer(std::chrono::microseconds period) {
  const timeval every{.tv_sec = 0, .tv_usec = period.count()};
  const itimerval timer{.it_interval = every, .it_value = every};
  return setitimer(ITIMER_PROF, &timer, nullptr) == 0;
}

void Append(std::string& out, uintptr_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof(word));
}

}  // namespace

Result<> StartCpuProfile() {
  if (is_taken.exchange(true)) {
    return Fail(StatusReason::kConflict, "cpu profiling already in use");
  }
  std::array<void*, 1> loaded{};
  backtrace(loaded.data(), 1);                                  // loads the unwinder
  sampling.samples = std::make_unique_for_overwrite<Sample[]>(  // NOLINT(*-avoid-c-arrays)
      kCpuSamplesMax);
  sampling.next = 0;
  sampling.is_on = true;
  struct sigaction action{};
  action.sa_handler = TakeSample;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGPROF, &action, nullptr) == 0 && SetTimer(kCpuSamplePeriod)) return {};
  sampling.is_on = false;
  sampling.samples.reset();
  is_taken = false;
  return Fail(StatusReason::kInternalError, "the system takes no timer for samples");
}

std::string StopCpuProfile(Disk& disk) {
  SetTimer(std::chrono::microseconds(0));
  sampling.is_on = false;
  while (sampling.handlers.load() > 0) {
  }  // a sample takes microseconds
  std::string profile;
  for (const uintptr_t word : {uintptr_t{0},
                               uintptr_t{3},
                               uintptr_t{0},
                               uintptr_t(kCpuSamplePeriod.count()),
                               uintptr_t{0}}) {
    Append(profile, word);
  }
  const size_t count = std::min(sampling.next.load(), kCpuSamplesMax);
  for (size_t i = 0; i < count; ++i) {
    const Sample& sample = sampling.samples[i];
    if (sample.count <= kFramesOfHandler) continue;
    const std::span<void* const> frames(sample.frames.data() + kFramesOfHandler,
                                        sample.count - kFramesOfHandler);
    Append(profile, 1);
    Append(profile, frames.size());
    for (void* const frame : frames) Append(profile, reinterpret_cast<uintptr_t>(frame));
  }
  for (const uintptr_t word : {uintptr_t{0}, uintptr_t{1}, uintptr_t{0}}) Append(profile, word);
  profile += disk.Read("/proc/self/maps").value_or(std::string());
  sampling.samples.reset();
  is_taken = false;
  return profile;
}

}  // namespace dray
