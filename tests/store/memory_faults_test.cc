// SPDX-License-Identifier: Apache-2.0
// The store in memory under load: a history so short that watches come too late, compactions in
// between, and clients that do not wait for their answers. And the same with bugs planted.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "store/check/check.h"
#include "store/check/finding.h"
#include "store/check/recorder.h"
#include "store/memory_store.h"
#include "store/store.h"
#include "tests/store/buggy_store.h"
#include "tests/store/verdict.h"
#include "tests/store/workload.h"

namespace dray::store {
namespace {

/// Forgets history now and then, sometimes all of it.
Workload::Chaos Compactions(Store& store, uint64_t seed) {
  return [&store, seed](const std::atomic<bool>& is_over) {
    SeededRandom random(seed);
    Wakeup nobody;
    while (!is_over) {
      const int64_t newest = store.Read()->revision().value();
      const auto back = static_cast<int64_t>(random.Next() % 40);
      static_cast<void>(store.Compact(Revision{newest - back}));
      nobody.WaitFor(std::chrono::milliseconds(1));
    }
  };
}

TEST(MemoryFaults, RingOverflowCompactionsAndAbandonedCommitsLoseNothing) {
  size_t expired = 0;
  for (uint64_t seed = 1; seed <= FaultRuns() && !HasFailure(); ++seed) {
    MemoryStore store({.events_max = 5 + seed % 5 * 20});
    check::Recorder recorder;
    Workload workload(recorder, {.seed = seed, .abandoned_percent = 10});
    for (int phase = 0; phase < 3; ++phase) {
      workload.Run({{.store = &store, .id = 0}},
                   seed % 2 == 0 ? Compactions(store, seed) : Workload::Chaos());
    }
    workload.Finish({.store = &store, .id = 0});
    const check::History history = recorder.Take();
    for (const check::Watch& watch : history.watches) {
      for (const check::Response& response : watch.responses)
        expired += response.error.empty() ? 0 : 1;
    }
    ExpectSound(history, "memory", seed);
  }
  EXPECT_GT(expired, 0U) << "no watch came too late: the runs do not test what they are for";
}

class PlantedBug : public testing::TestWithParam<Bug> {};

TEST_P(PlantedBug, IsFoundInEveryRunThatShowsIt) {
  size_t runs = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    MemoryStore right;
    BuggyStore store(right, GetParam(), seed);
    check::Recorder recorder;
    Workload workload(recorder, {.seed = seed});
    workload.Run({{.store = &store, .id = 0}});
    workload.Finish({.store = &right, .id = 1});
    if (store.times() == 0) continue;
    ++runs;
    const check::Report report = check::Check(recorder.Take());
    EXPECT_FALSE(report.findings.empty()) << BugName(GetParam()) << ", seed " << seed;
  }
  EXPECT_GE(runs, 3U) << "the bug hardly shows";
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBug, testing::ValuesIn(AllBugs()), [](const auto& info) {
  return std::string(BugName(info.param));
});

}  // namespace
}  // namespace dray::store
