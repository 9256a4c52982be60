// SPDX-License-Identifier: Apache-2.0
#include "tests/store/verdict.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "store/check/check.h"
#include "store/check/finding.h"
#include "store/check/history.h"
#include "store/check/history_text.h"
#include "tests/soak.h"

namespace dray::store {

uint64_t FaultRuns() {
  return Instances(10);
}

void ExpectSound(const check::History& history, std::string_view run, uint64_t seed) {
  const check::Report report = check::Check(history);
  if (report.is_sound()) return;
  const std::string file =
      testing::TempDir() + "dray-history-" + std::string(run) + "-" + std::to_string(seed) + ".txt";
  std::ofstream(file) << check::ToText(history);
  ADD_FAILURE() << run << ", seed " << seed << ", history in " << file << "\n" << ToText(report);
}

}  // namespace dray::store
