// SPDX-License-Identifier: Apache-2.0
// The time from the start of `dray serve` to the first 200 of /readyz, with an empty data folder
// (the server creates an authority and two certificates) and with an existing one; and the memory
// in use.
//
//   serve_ready DRAY
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bench/samples.h"
#include "bench/serve/server_process.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

constexpr int kRuns = 20;

struct Series {
  bench::Samples ready_ms, resident_mib;
};

void Run(const std::string& program, const std::string& folder, Series& series) {
  const bench::ServerProcess server(program, folder, {});
  series.ready_ms.Add(bench::Milliseconds(server.AwaitReady() - server.started()));
  series.resident_mib.Add(static_cast<double>(server.resident_kib()) / 1024);
}

void Print(std::string_view what, const Series& series) {
  fmt::print(
      "{:<22} ready after min {:6.1f}  median {:6.1f}  max {:6.1f} ms   resident {:.1f} MiB\n",
      what,
      series.ready_ms.min(),
      series.ready_ms.median(),
      series.ready_ms.max(),
      series.resident_mib.median());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) bench::Die("usage: serve_ready DRAY");
  const std::string program = argv[1];
  Series empty;
  for (int run = 0; run < kRuns; ++run) {
    const bench::ScratchFolder folder;
    Run(program, folder.path(), empty);
  }
  Series existing;
  const bench::ScratchFolder folder;
  Series first;
  Run(program, folder.path(), first);
  for (int run = 0; run < kRuns; ++run) Run(program, folder.path(), existing);
  fmt::print("dray serve, {} starts each; the bar is 50 ms\n", kRuns);
  Print("empty data folder", empty);
  Print("existing data folder", existing);
  return 0;
}
