// SPDX-License-Identifier: Apache-2.0
// A CPU profile of this process: samples the stacks of its running threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/world.h"

namespace dray {

/// CPU time between two samples, of all threads together.
inline constexpr std::chrono::microseconds kCpuSamplePeriod{10'000};
/// Limit of samples kept; further ones are dropped. Enough for six minutes on eight processors.
inline constexpr size_t kCpuSamplesMax = 300'000;

/// Begins to take samples. Only one profile can be in progress. Safe from any thread. Errors:
/// kConflict  a profile is in progress already. kInternalError  the kernel refuses the timer.
Result<> StartCpuProfile();

/// Ends the profile that StartCpuProfile began. Returns it in the binary form that gperftools
/// writes and pprof reads. It ends with the memory map of the process, so that pprof can find the
/// names of addresses.
std::string StopCpuProfile(Disk& disk);

}  // namespace dray
