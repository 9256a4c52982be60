// SPDX-License-Identifier: Apache-2.0
// Costs of the stores: disk flushes, commits compared with a bare loop of SQLite and with etcd,
// opening, lists, watchers, memory. All in one run, on one disk.
//
//   store_bench [FOLDER]     FOLDER is on the disk to be measured (default: TMPDIR, or /tmp)
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "bench/store/commits.h"
#include "bench/store/flushes.h"
#include "bench/store/memory.h"
#include "bench/store/opening.h"
#include "bench/store/watchers.h"

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);  // print each result at once, because the run takes minutes
  const std::filesystem::path parent =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path();
  std::string folder = (parent / "dray-store-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    fmt::print(stderr, "store_bench: no folder can be made in {}\n", parent.string());
    return 2;
  }
  dray::bench::MeasureMemory();  // first, because later measurements leave free memory
  dray::bench::MeasureWatchers();
  dray::bench::MeasureFlushes(folder);
  dray::bench::MeasureCommits(folder);
  dray::bench::MeasureOpeningAndLists(folder);
  std::filesystem::remove_all(folder);
  return 0;
}
