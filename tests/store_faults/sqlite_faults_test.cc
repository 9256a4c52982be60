// SPDX-License-Identifier: Apache-2.0
// The store in a file while its disk fails, and while its process is killed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/testing/fault_disk.h"
#include "store/sqlite/testing/folder.h"
#include "store/store.h"
#include "tests/history/history.h"
#include "tests/history/history_text.h"
#include "tests/history/recorder.h"
#include "tests/history/watch_rules.h"
#include "tests/store_faults/killed_child.h"
#include "tests/store_faults/sqlite_settings.h"
#include "tests/store_faults/verdict.h"
#include "tests/store_faults/workload.h"

namespace dray::store_faults {
namespace {

constexpr int kLives = 4;

size_t UnknownOutcomes(const history::History& history) {
  return static_cast<size_t>(std::ranges::count_if(history.operations, [](const auto& operation) {
    return std::holds_alternative<history::Write>(operation.request) &&
           std::holds_alternative<history::Unknown>(operation.answer);
  }));
}

/// One fault at a random call, or a few in a row, as when a disk stays full for a while.
store::sqlite::testing::FaultDisk::Plan AnyPlan(SeededRandom& random, uint64_t begin) {
  using Fault = store::sqlite::testing::FaultDisk::Fault;
  constexpr Fault kFaults[] = {Fault::kError,
                               Fault::kTornError,
                               Fault::kNoSpace,
                               Fault::kTornNoSpace,
                               Fault::kPowerCut,
                               Fault::kTornPowerCut};
  const Fault fault = kFaults[random.Next() % std::size(kFaults)];
  const bool is_for_ever = fault == Fault::kPowerCut || fault == Fault::kTornPowerCut;
  const uint64_t at = begin + random.Next() % 1'500;
  const uint64_t calls = 1 + random.Next() % 20;
  return [=](uint64_t number, store::sqlite::testing::FaultDisk::Call, const std::string&) {
    const bool is_hit = number >= at && (is_for_ever || number < at + calls);
    return is_hit ? fault : Fault::kNone;
  };
}

TEST(SqliteDiskFaults, LoseNothingThatWasAnswered) {
  size_t unknown = 0;
  for (uint64_t seed = 1; seed <= FaultRuns() && !HasFailure(); ++seed) {
    SeededRandom random(seed);
    store::sqlite::testing::FaultDisk disk;
    const store::sqlite::testing::TestFolder folder;
    store::sqlite::SqliteOptions sqlite_options = RestlessSqlite();
    sqlite_options.vfs = disk.vfs();
    history::Recorder recorder;
    Workload workload(recorder, {.seed = seed, .value_bytes_max = 3'000, .abandoned_percent = 3});
    for (int life = 0; life < kLives; ++life) {
      disk.SetPlan(AnyPlan(random, disk.calls()));
      if (auto store =
              store::sqlite::SqliteStore::Open(folder.path(), RestlessOptions(), sqlite_options))
        workload.Run({{.store = store->get(), .id = 0}});
      disk.SetPlan([](uint64_t, store::sqlite::testing::FaultDisk::Call, const std::string&) {
        return store::sqlite::testing::FaultDisk::Fault::kNone;
      });
      disk.CutPower(static_cast<store::sqlite::testing::FaultDisk::Unsynced>(random.Next() % 3),
                    seed);
    }
    const auto store =
        store::sqlite::SqliteStore::Open(folder.path(), RestlessOptions(), sqlite_options);
    ASSERT_TRUE(store.has_value()) << "seed " << seed << ": " << store.error().message;
    workload.Run({{.store = store->get(), .id = 0}});
    workload.Finish({.store = store->get(), .id = 0});
    const history::History history = recorder.Take();
    unknown += UnknownOutcomes(history);
    ExpectSound(history, "sqlite-disk", seed);
  }
  EXPECT_GT(unknown, 0U);
}

/// The last moment of a history, and how far its watches came.
struct End {
  history::Moment moment = 0;
  Revision through = store::kFirstRevision;
};

End EndOf(const history::History& history) {
  End end;
  for (const history::Operation& operation : history.operations)
    end.moment = std::max({end.moment, operation.called, operation.returned});
  for (const history::Watch& watch : history.watches) {
    end.moment = std::max(end.moment, watch.opened);
    end.through = std::max(end.through, history::CompleteThrough(watch));
    for (const history::Response& response : watch.responses)
      end.moment = std::max(end.moment, response.received);
  }
  end.moment += 1'000;  // skips moments that were assigned last but never written
  return end;
}

TEST(SqliteKilled, LosesNothingThatWasAnswered) {
  size_t unknown = 0;
  for (uint64_t seed = 1; seed <= FaultRuns() && !HasFailure(); ++seed) {
    SeededRandom random(seed);
    const store::sqlite::testing::TestFolder folder;
    std::string text = history::HeadText({});
    history::History history;
    for (int life = 0; life < kLives; ++life) {
      const End end = EndOf(history);
      text += OutputUntilKilled({DRAY_STORE_FAULT_CHILD,
                                 folder.path(),
                                 std::to_string(seed),
                                 std::to_string(life),
                                 std::to_string(end.moment),
                                 std::to_string(end.through.value())},
                                100 + random.Next() % 900);
      text.resize(text.rfind('\n') + 1);  // the last line may have been cut
      Result<history::History> parsed = history::ParseHistory(text);
      ASSERT_TRUE(parsed.has_value()) << "seed " << seed << ": " << parsed.error().message;
      ASSERT_GT(parsed->operations.size(), history.operations.size()) << "seed " << seed;
      history = *std::move(parsed);
    }
    const auto store =
        store::sqlite::SqliteStore::Open(folder.path(), RestlessOptions(), RestlessSqlite());
    ASSERT_TRUE(store.has_value()) << "seed " << seed << ": " << store.error().message;
    const End end = EndOf(history);
    history::Recorder recorder(end.moment);
    recorder.Resume(std::move(history));
    Workload workload(recorder, {.seed = seed, .first_phase = kLives, .follow_after = end.through});
    workload.Run({{.store = store->get(), .id = 0}});
    workload.Finish({.store = store->get(), .id = 0});
    history = recorder.Take();
    unknown += UnknownOutcomes(history);
    ExpectSound(history, "sqlite-killed", seed);
  }
  EXPECT_GT(unknown, 0U) << "no process was killed in the middle of a write";
}

}  // namespace
}  // namespace dray::store_faults
