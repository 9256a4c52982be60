// SPDX-License-Identifier: Apache-2.0
// What the threads of this process do, sampled while they have the CPU.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/world.h"

namespace dray {

/// Between two samples, of CPU time of all threads together.
inline constexpr std::chrono::microseconds kCpuSamplePeriod{10'000};
/// Samples kept; further ones are dropped. At eight processors, six minutes.
inline constexpr size_t kCpuSamplesMax = 300'000;

/// Begins to take samples. One profile is made at a time. Safe from any thread.
/// Errors: kConflict  one is being made already. kInternalError  the system takes no timer.
Result<> StartCpuProfile();

/// Ends the profile that StartCpuProfile began: the binary form that gperftools writes and pprof
/// reads, which ends with the memory map of the process, so that addresses find their names.
std::string StopCpuProfile(Disk& disk);

}  // namespace dray
