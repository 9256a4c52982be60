// SPDX-License-Identifier: Apache-2.0
#include "server/storage/commit_times.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "store/memory_store.h"

namespace dray::server::storage {
namespace {

using std::chrono::seconds;

class CommitTimesTest : public ::testing::Test {
 protected:
  /// Writes a key a second later.
  Revision Write() {
    world_.clock().Advance(seconds(1));
    store::Txn txn;
    txn.operations.emplace_back(store::Put{.key = "/registry/a/b", .value = store::MakeBytes("v")});
    const auto outcome = store_.CommitAndWait(std::move(txn));
    return std::get<store::Committed>(*outcome).revision;
  }

  SimulatedWorld world_{7};
  store::MemoryStore store_;
};

TEST_F(CommitTimesTest, BeginWithTheStateThatIsThere) {
  const Revision before = Write();
  const WallTime begun = world_.world().clock.Now();
  const CommitTimes times(store_, world_.world().clock);
  EXPECT_EQ(times.first().revision, before);
  EXPECT_EQ(times.first().time, begun);
  const Revision later = Write();
  EXPECT_EQ(times.TimeOf(later), begun + seconds(1));
  EXPECT_EQ(times.TimeOf(before), begun);
  EXPECT_EQ(times.TimeOf(store::kFirstRevision), begun);
  EXPECT_EQ(times.first().revision, before);
}

TEST_F(CommitTimesTest, KeepSoManyMoments) {
  const CommitTimes times(store_, world_.world().clock, /*moments_max=*/3);
  Write();
  Write();
  EXPECT_EQ(times.moments(), 3U);
  EXPECT_EQ(times.first().revision, store::kFirstRevision);
  const Revision third = Write();
  EXPECT_EQ(times.moments(), 3U);
  EXPECT_EQ(times.first().revision.value(), third.value() - 2);
  EXPECT_EQ(times.TimeOf(third), world_.world().clock.Now());
}

TEST_F(CommitTimesTest, EndTheirSubscription) {
  {
    const CommitTimes times(store_, world_.world().clock);
    EXPECT_EQ(store_.status().subscriptions, 1U);
  }
  EXPECT_EQ(store_.status().subscriptions, 0U);
  Write();
}

}  // namespace
}  // namespace dray::server::storage
