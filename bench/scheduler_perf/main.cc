// SPDX-License-Identifier: Apache-2.0
// Upstream's own workloads for schedulers, scheduler_perf's, against `dray serve`: pods a second
// beside what upstream expects of its scheduler.
//
//   scheduler_perf_bench DRAY --folder FOLDER [--only TEXT] [--label LABEL] [-- FLAG OF dray
//   serve…]
//
// FOLDER is a folder of a checkout of Kubernetes that has a performance-config.yaml, or has folders
// that do, such as test/integration/scheduler_perf/dra. --only: workloads whose "case/workload"
// contains TEXT. Otherwise those with the label, which is "performance".
//
// Upstream's figure is the mean of what each second brought; here it is pods by the time from the
// first creation to the last pod that a watch shows bound.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/scheduler_perf/player.h"
#include "bench/scheduler_perf/workloads.h"
#include "bench/serve/server_process.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

struct Arguments {
  std::string program, folder, only, label = "performance";
  std::vector<std::string> flags;
};

Arguments Read(int argc, char** argv) {
  constexpr std::string_view kUsage =
      "usage: scheduler_perf_bench DRAY --folder FOLDER [--only TEXT] [--label LABEL] [-- FLAG…]";
  if (argc < 2) bench::Die(kUsage);
  Arguments read{.program = argv[1]};
  for (int at = 2; at < argc; ++at) {
    const std::string_view name = argv[at];
    if (name == "--") {
      read.flags.assign(argv + at + 1, argv + argc);
      break;
    }
    if (at + 1 == argc) bench::Die(kUsage);
    const char* const value = argv[++at];
    if (name == "--folder") {
      read.folder = value;
    } else if (name == "--only") {
      read.only = value;
    } else if (name == "--label") {
      read.label = value;
    } else {
      bench::Die(kUsage);
    }
  }
  if (read.folder.empty()) bench::Die(kUsage);
  return read;
}

bool IsWanted(const Arguments& arguments,
              const std::string& name,
              const bench::Workload& workload) {
  if (!arguments.only.empty()) return name.contains(arguments.only);
  return std::ranges::count(workload.labels, arguments.label) > 0;
}

void PlayOne(const Arguments& arguments,
             const bench::TestCase& test,
             const bench::Workload& workload,
             const std::string& name) {
  const Result<bench::Played> played =
      bench::Play(arguments.program, arguments.flags, test, workload);
  if (!played) {
    fmt::print("{:<66} {}\n", name, played.error().message);
    return;
  }
  const auto objects = static_cast<double>(played->objects);
  const double rate = objects / std::max(played->seconds, 1e-9);
  fmt::print("{:<66} {:>6} {:>7.2f} {:>7.0f} {:>8.2f}",
             name,
             played->objects,
             played->seconds,
             rate,
             played->cpu_seconds * 1000 / std::max(objects, 1.0));
  if (workload.threshold.has_value()) {
    fmt::print(" {:>9.0f} {:>6.1f} x", *workload.threshold, rate / *workload.threshold);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Read(argc, argv);
  const auto tests = bench::ReadTestCases(RealWorld().disk, arguments.folder);
  if (!tests) bench::Die(tests.error().message);
  for (const bench::TestCase& test : *tests) {
    if (const Result<> known = bench::CheckOperations(test); !known) {
      bench::Die(known.error().message);
    }
  }
  fmt::print(
      "{:<66} {:>6} {:>7} {:>7} {:>8} {:>9}\n", "", "pods", "s", "pods/s", "CPU, ms", "upstream");
  for (const bench::TestCase& test : *tests) {
    for (const bench::Workload& workload : test.workloads) {
      const std::string name = test.name + "/" + workload.name;
      if (IsWanted(arguments, name, workload)) PlayOne(arguments, test, workload, name);
    }
  }
  return 0;
}
