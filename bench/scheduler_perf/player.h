// SPDX-License-Identifier: Apache-2.0
// Plays a workload of upstream's scheduler_perf against a `dray serve` of its own, without nodes
// that run pods, as upstream does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/scheduler_perf/workloads.h"

namespace dray::bench {

struct Played {
  size_t objects = 0;  // bound pods, or what was created, while metrics were collected
  double seconds = 0;
  double cpu_seconds = 0;  // of the server
};

/// Whether all operations are known. Errors: kBadRequest  one is not; the message names it.
Result<> CheckOperations(const TestCase& test);

/// Errors: kBadRequest  a template or a parameter is missing or wrong. Ends the program where the
/// server refuses a request.
Result<Played> Play(const std::string& program,
                    const std::vector<std::string>& flags,
                    const TestCase& test,
                    const Workload& workload);

}  // namespace dray::bench
