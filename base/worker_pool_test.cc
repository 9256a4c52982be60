// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <atomic>
#include <cstddef>
#include <memory>

#include <gtest/gtest.h>

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
