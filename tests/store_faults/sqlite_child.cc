// SPDX-License-Identifier: Apache-2.0
// store_fault_child FOLDER SEED PHASE MOMENT REVISION: clients work on the store in FOLDER until
// this process is killed. Each call is written to standard output before and after it, in the form
// of tests/history/history_text.h; watches begin after REVISION.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <unistd.h>

#include "base/strong.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/history/recorder.h"
#include "tests/store_faults/sqlite_settings.h"
#include "tests/store_faults/workload.h"

namespace {

void WriteAll(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) _exit(3);  // the reader is gone
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
  if (argc != 6) return 2;
  const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
  const auto opened = store::sqlite::SqliteStore::Open(
      argv[1], store_faults::RestlessOptions(), store_faults::RestlessSqlite());
  if (!opened.has_value()) {
    std::fprintf(stderr, "%s\n", opened.error().message.c_str());
    return 1;
  }
  history::Recorder recorder(number(4), WriteAll);
  store_faults::Workload workload(
      recorder,
      {.seed = number(2),
       .operations = std::numeric_limits<uint32_t>::max(),
       .first_phase = static_cast<uint32_t>(number(3)),
       .follow_after = dray::Revision{static_cast<int64_t>(number(5))}});
  workload.Run({{.store = opened->get(), .id = 0}});
  return 0;
}
