// SPDX-License-Identifier: Apache-2.0
#include "tests/store_faults/verdict.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/history/check.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/history_text.h"
#include "tests/soak.h"

namespace dray::store_faults {

uint64_t FaultRuns() {
  return Instances(10);
}

void ExpectSound(const history::History& history, std::string_view run, uint64_t seed) {
  const history::Report report = history::Check(history);
  if (report.is_sound()) return;
  const std::string file = ::testing::TempDir() + "dray-history-" + std::string(run) + "-" +
                           std::to_string(seed) + ".txt";
  std::ofstream(file) << history::ToText(history);
  ADD_FAILURE() << run << ", seed " << seed << ", history in " << file << "\n" << ToText(report);
}

}  // namespace dray::store_faults
