// SPDX-License-Identifier: Apache-2.0
#include "base/task.h"

#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/try.h"

namespace dray {
namespace {

Task<int> Answer(int number) {
  co_return number;
}

Task<int> Sum(int from, int to) {
  int sum = 0;
  for (int i = from; i <= to; ++i) {
    DRAY_CO_TRY(const int number, co_await Answer(i));
    sum += number;
  }
  co_return sum;
}

Task<int> Refuse() {
  co_return Fail(StatusReason::kConflict, "no");
}

Task<int> AfterRefusal() {
  DRAY_CO_TRY(const int number, co_await Refuse());
  co_return number;
}

using Callback = std::function<void(int)>;

Task<int> FromStored(std::vector<Callback>* stored) {
  const int number =
      co_await FromCallback<int>([stored](auto done) { stored->emplace_back(done); });
  co_return number + 1;
}

TEST(Task, AwaitsManyTasksWithoutGrowingTheStack) {
  EXPECT_EQ(Wait(Sum(1, 60'000)).value(), 1'800'030'000);
}

TEST(Task, PassesErrorsOn) {
  EXPECT_EQ(Wait(AfterRefusal()).error().message, "no");
}

TEST(Task, GoesOnWhereTheCallbackIsCalled) {
  std::vector<Callback> stored;
  int got = 0;
  Start(FromStored(&stored), [&](Result<int> value) { got = value.value(); });
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(got, 0);
  stored[0](41);
  EXPECT_EQ(got, 42);
}

TEST(Task, WaitsForAnotherThread) {
  std::vector<std::thread> threads;
  const auto on_thread = [](std::vector<std::thread>* all) -> Task<int> {
    const int number = co_await FromCallback<int>([all](auto done) {
      all->emplace_back([done] {
        auto call = done;
        call(7);
      });
    });
    co_return number;
  };
  EXPECT_EQ(Wait(on_thread(&threads)).value(), 7);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace dray
