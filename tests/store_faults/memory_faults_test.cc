// SPDX-License-Identifier: Apache-2.0
// The store in memory under load: a history so short that watches come too late, compactions in
// between, and clients that do not wait for their answers. And the same with bugs planted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "store/memory_store.h"
#include "store/store.h"
#include "tests/history/check.h"
#include "tests/history/finding.h"
#include "tests/history/recorder.h"
#include "tests/store_faults/buggy_store.h"
#include "tests/store_faults/verdict.h"
#include "tests/store_faults/workload.h"

namespace dray::store_faults {
namespace {

/// Forgets history now and then, sometimes all of it.
Workload::Chaos Compactions(store::Store& store, uint64_t seed) {
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

/// Runs `phases` phases on `store`; at the end reads everything through `right`.
history::History Record(store::Store& store,
                        store::Store& right,
                        const WorkloadOptions& options,
                        int phases) {
  history::Recorder recorder;
  Workload workload(recorder, options);
  const bool forgets = options.seed % 2 == 0;
  for (int phase = 0; phase < phases; ++phase) {
    workload.Run({Server{.store = &store, .id = 0}},
                 forgets ? Compactions(store, options.seed) : Workload::Chaos());
  }
  workload.Finish(Server{.store = &right, .id = 1});
  return recorder.Take();
}

size_t WatchesThatCameTooLate(const history::History& history) {
  size_t count = 0;
  for (const history::Watch& watch : history.watches) {
    count += static_cast<size_t>(std::ranges::count_if(
        watch.responses, [](const auto& response) { return !response.error.empty(); }));
  }
  return count;
}

TEST(MemoryFaults, RingOverflowCompactionsAndAbandonedCommitsLoseNothing) {
  size_t expired = 0;
  const uint64_t runs = FaultRuns();
  for (uint64_t seed = 1; seed <= runs && !HasFailure(); ++seed) {
    store::Options limits;
    limits.events_max = 5 + seed % 5 * 20;
    const auto store = std::make_unique<store::MemoryStore>(limits);
    const WorkloadOptions options{.seed = seed, .abandoned_percent = 10, .lag_revisions = 30};
    const history::History history = Record(*store, *store, options, 3);
    expired += WatchesThatCameTooLate(history);
    ExpectSound(history, "memory", seed);
  }
  EXPECT_GT(expired, 0U) << "no watch came too late: the runs do not test what they are for";
}

class PlantedBug : public ::testing::TestWithParam<Bug> {};

TEST_P(PlantedBug, IsFoundInEveryRunThatShowsIt) {
  // Whether a bug has an effect depends on the interleaving, so several runs are tried.
  constexpr size_t kRuns = 3;
  size_t runs = 0;
  for (uint64_t seed = 1; runs < kRuns && seed < 1'000; seed += 2) {  // without compactions
    const auto right = std::make_unique<store::MemoryStore>();
    const auto store = std::make_unique<BuggyStore>(*right, GetParam(), seed);
    const WorkloadOptions options{.seed = seed, .expiring_percent = 0};  // all outcomes are known
    const history::History history = Record(*store, *right, options, 1);
    if (store->times() == 0) continue;
    ++runs;
    EXPECT_FALSE(history::Check(history).findings.empty())
        << BugName(GetParam()) << ", seed " << seed;
  }
  EXPECT_EQ(runs, kRuns) << "the bug hardly shows";
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBug, ::testing::ValuesIn(AllBugs()), [](const auto& info) {
  return std::string(BugName(info.param));
});

}  // namespace
}  // namespace dray::store_faults
