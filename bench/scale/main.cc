// SPDX-License-Identifier: Apache-2.0
// What grows with the cluster: for each number of nodes, a fresh server with its store on disk, the
// simulated nodes with eight devices each, pods with a claim each, a tenth of them replaced, ten a
// second, and a restart. One row a size; --svg draws how the figures grow.
//
//   scale_bench DRAY [--nodes 1000,5000,…] [--pods MAX] [--svg FILE] [-- FLAG OF dray serve…]
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "bench/scale/curves.h"
#include "bench/scale/measure.h"
#include "bench/serve/requests.h"
#include "bench/serve/server_process.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

struct Arguments {
  std::string program;
  std::vector<size_t> nodes{100, 1000, 5000};
  size_t pods_max = 5000;
  std::string svg;
  std::vector<std::string> flags;
};

std::vector<size_t> NumbersIn(std::string_view list) {
  std::vector<size_t> numbers;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    numbers.push_back(bench::NumberIn(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return numbers;
}

Arguments Read(int argc, char** argv) {
  constexpr std::string_view kUsage =
      "usage: scale_bench DRAY [--nodes 1000,5000,…] [--pods MAX] [--svg FILE] [-- FLAG…]";
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
    if (name == "--nodes") {
      read.nodes = NumbersIn(value);
    } else if (name == "--pods") {
      read.pods_max = bench::NumberIn(value);
    } else if (name == "--svg") {
      read.svg = value;
    } else {
      bench::Die(kUsage);
    }
  }
  return read;
}

void PrintRow(const bench::ScaleFigures& row) {
  fmt::print(
      "{:>7} {:>7.1f} {:>7.1f} {:>8.0f} {:>6.1f} {:>6} {:>7.0f} {:>8.2f} {:>8.2f} {:>6.1f} "
      "{:>6.1f} "
      "{:>6.1f} {:>8.0f} {:>6} {:>7.0f} {:>7.0f}\n",
      row.nodes,
      row.seconds_up,
      row.cpu_up,
      row.resident_up,
      row.ticks_at_rest,
      row.pods,
      row.pods_per_second,
      row.cpu_per_pod,
      row.churn_per_pod,
      row.paced_p50,
      row.paced_p99,
      row.paced_max,
      row.resident,
      row.listed_again,
      row.ready_again,
      row.bound_again);
}

std::vector<bench::Curve> CurvesOf(const std::vector<bench::ScaleFigures>& rows) {
  using Figure = double bench::ScaleFigures::*;
  std::vector<bench::Curve> curves;
  for (const auto& [name, figure] : std::initializer_list<std::pair<const char*, Figure>>{
           {"CPU of a pod", &bench::ScaleFigures::cpu_per_pod},
           {"CPU of a replaced pod", &bench::ScaleFigures::churn_per_pod},
           {"p99, ten pods a second", &bench::ScaleFigures::paced_p99},
           {"resident memory", &bench::ScaleFigures::resident_up},
           {"ready after a restart", &bench::ScaleFigures::ready_again}}) {
    bench::Curve& curve = curves.emplace_back(bench::Curve{.name = name, .points = {}});
    for (const bench::ScaleFigures& row : rows) {
      curve.points.emplace_back(static_cast<double>(row.nodes), row.*figure);
    }
  }
  return curves;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = Read(argc, argv);
  fmt::print(
      "               up               rest    pods at once     CPU, ms a pod   ten a second, ms  "
      "   then listed   restart, ms\n"
      "  nodes       s   CPU s      MiB   ms/s   pods  pods/s      new replaced    p50    p99    "
      "max  "
      "    MiB  again   ready   bound\n");
  std::vector<bench::ScaleFigures> rows;
  for (const size_t nodes : arguments.nodes) {
    rows.push_back(bench::MeasureScale({.program = arguments.program,
                                        .profile = "example",
                                        .driver = "gpu.example.com",
                                        .nodes = nodes,
                                        .pods_max = arguments.pods_max,
                                        .flags = arguments.flags}));
    PrintRow(rows.back());
  }
  if (arguments.svg.empty() || rows.empty()) return 0;
  const auto written = RealWorld().disk.Write(
      arguments.svg, bench::DrawCurves(CurvesOf(rows)), Disk::Privacy::kEverybody);
  if (!written) bench::Die(written.error().message);
  return 0;
}
