// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace dray {
namespace {

TEST(WorkerPool, CarriesOutWhatIsQueuedBeforeItEnds) {
  std::atomic<int> done = 0;
  std::atomic<bool> outside = false;
  {
    WorkerPool pool(2);
    EXPECT_FALSE(pool.in_pool());
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(pool.TryPost([&, own = std::make_unique<int>(1)] {
        done += *own;
        if (!pool.in_pool()) outside = true;
      }));
    }
  }
  EXPECT_EQ(done, 100);
  EXPECT_FALSE(outside);
}

TEST(WorkerPool, RefusesWhatItsQueueHasNoRoomFor) {
  std::atomic<bool> is_held = false, may_go = false;
  WorkerPool pool(1);
  ASSERT_TRUE(pool.TryPost([&] {
    is_held = true;
    is_held.notify_all();
    may_go.wait(false);
  }));
  is_held.wait(false);
  for (size_t i = 0; i < WorkerPool::kQueueMax; ++i) ASSERT_TRUE(pool.TryPost([] {}));
  EXPECT_FALSE(pool.TryPost([] {}));
  may_go = true;
  may_go.notify_all();
}

TEST(WorkerPool, TheRestOfAnOwnersWorkWaitsForOthers) {
  WorkerPool pool(0);
  std::string done;
  ASSERT_TRUE(pool.TryPost(
      [&] {
        done += "tenant";
        ASSERT_TRUE(pool.TryPostRest([&] { done += " rest"; }, "tenant"));
      },
      "tenant"));
  ASSERT_TRUE(pool.TryPost([&] { done += " other"; }, "other"));
  while (pool.RunOne()) {
  }
  EXPECT_EQ(done, "tenant other rest");
}

TEST(WorkerPool, ItsThreadsLetOthersGoFirst) {
  const int usual = getpriority(PRIO_PROCESS, 0);
  int of_worker = 0;
  {
    WorkerPool pool(1);
    ASSERT_TRUE(pool.TryPost([&] { of_worker = getpriority(PRIO_PROCESS, 0); }));
  }
  EXPECT_EQ(of_worker, std::min(usual + 5, 19));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), usual);
}

TEST(WorkerPool, PoolsAreToldApart) {
  WorkerPool first(1);
  bool in_first = true;
  {
    WorkerPool second(1);
    EXPECT_TRUE(second.TryPost([&] { in_first = first.in_pool(); }));
  }
  EXPECT_FALSE(in_first);
}

}  // namespace
}  // namespace dray
